/** A trigger, its firings and its deliveries in words. Pure. */
import type { ComingTick, Delivery, Firing, Trigger } from '@cogworks/sdk/contract.gen';
import type { Paint } from './terminal.ts';
import { count, localTime, plain, size } from './words.ts';

const statusWidth = 'partial_success'.length;

/** `off`, else what became of its last start. */
export function statusOf({ enabled, off_reason, last_status }: Trigger, paint: Paint): string {
  if (!enabled) return paint('dim', (off_reason ? 'off (itself)' : 'off').padEnd(statusWidth));
  const isBad = last_status === 'failure' || last_status === 'refused';
  return paint(isBad ? 'red' : 'green', (last_status ?? 'on').padEnd(statusWidth));
}

export function whenOf({ type, enabled, next_fire_at, last_fired_at }: Trigger): string {
  if (type === 'schedule' && enabled && next_fire_at) return `next ${localTime(next_fire_at)}`;
  return last_fired_at ? `last ${localTime(last_fired_at)}` : 'not fired yet';
}

const offReasons = {
  run_as_disabled: 'it turned itself off, because its user is disabled',
  refused_repeatedly: 'it turned itself off, because ten starts in a row were refused',
  taken_over: 'somebody has taken it over, and has to turn it on',
};

type Past = { next: ComingTick[]; firings: Firing[] };

export function triggerLines(
  trigger: Trigger,
  { next, firings }: Past,
  workflow: string,
  paint: Paint,
): string[] {
  const { enabled, off_reason, workflow_version_id: version } = trigger;
  const why = off_reason ? `off: ${offReasons[off_reason]}` : enabled ? 'on' : 'off';
  return [
    `${paint('bold', trigger.name)}  ${trigger.type}, ${why}`,
    `starts ${workflow}${version === undefined ? '' : ` (version id ${version})`}`,
    ...ownLines(trigger),
    ...next.map(({ local_time }) => `next ${local_time}`),
    ...firings.map((firing) => firingLine(firing, paint)),
  ];
}

function ownLines(trigger: Trigger): string[] {
  if (trigger.type === 'schedule') return [`cron ${trigger.cron}  ${trigger.timezone}`];
  if (trigger.type === 'webhook') return [`${trigger.url}  ${trigger.preset}`];
  const { folder_id, recursive, media_types, debounce_seconds } = trigger;
  return [
    `folder ${folder_id}${recursive ? ' with those below' : ''}, ${media_types?.join(', ') ?? 'all media types'}, waits ${debounce_seconds} s`,
  ];
}

function firingLine(
  { tick_at, source, state, reason, ticks, workflow_run_id }: Firing,
  paint: Paint,
) {
  const run = workflow_run_id === undefined ? '' : `  run ${workflow_run_id}`;
  const several = ticks > 1 ? `  ${count(ticks, 'time')} together` : '';
  const why = reason ? paint('dim', `  ${plain(reason)}`) : '';
  const when = paint('dim', localTime(tick_at));
  return `${when}  ${source.padEnd('message'.length)}  ${state}${run}${several}${why}`;
}

export function deliveryLine(delivery: Delivery, paint: Paint): string {
  const { id, received_at, verdict, status, reason, workflow_run_id, size_bytes } = delivery;
  const isBad = verdict === 'refused' || verdict === 'bad_signature';
  const words = paint(isBad ? 'red' : 'green', verdict.padEnd('bad_signature'.length));
  const run = workflow_run_id === undefined ? '' : `  run ${workflow_run_id}`;
  const why = reason ? paint('dim', `  ${plain(reason)}`) : '';
  return `${id}  ${paint('dim', localTime(received_at))}  ${words}  ${status}  ${size(size_bytes)}${run}${why}`;
}
