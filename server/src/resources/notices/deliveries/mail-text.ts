/** What the mail of a notice says. Pure. */
import { readCounters } from '../../../engine/kernel/counters.ts';
import { shortenedText } from '../../../errors.ts';
import type { Mail } from '../../../mail/server.ts';
import { onOneLine } from '../../../mail/words.ts';
import type { Facts } from './mailing-queries.ts';
import type { ClaimedDelivery } from './sending-queries.ts';

export type Told = Facts &
  Pick<ClaimedDelivery, 'notice_id' | 'type' | 'run_id' | 'error_message'> & {
    /** It is the last one of the hour that ends then. */
    left_out_until?: string | undefined;
  };

const ends = {
  'run.success': 'succeeded',
  'run.partial_success': 'succeeded in part',
  'run.failure': 'failed',
  'run.cancelled': 'was cancelled',
};

export function mailOf(told: Told, baseUrl: string): Mail {
  const { type, run_id, email: to } = told;
  const name = told.notice_name === undefined ? '' : ` “${onOneLine(told.notice_name)}”`;
  const notice = `${baseUrl}/app/settings/notices/${told.notice_id}`;
  const footer = `You get this mail because you set up the notice${name}. To change it or turn it off:\n${notice}`;
  if (type === 'test' || run_id === undefined) {
    const text = 'This is a test. Mails like this one come when runs end.';
    return { to, subject: `Test of the notice${name}`, text: `${text}\n\n${footer}\n` };
  }
  const workflow = onOneLine(told.workflow_name ?? 'a workflow');
  const subject = `${workflow}: a run ${ends[type]}`;
  const paragraphs = [
    `A run of “${workflow}” ${ends[type]}.`,
    ...(told.error_message === undefined ? [] : [onOneLine(shortenedText(told.error_message))]),
    [stepsIn(told.node_counts ?? []), beginningOf(told)].filter(Boolean).join('\n'),
    `${baseUrl}/app/runs/${run_id}`,
    ...(told.left_out_until === undefined ? [] : [lastOne(told.left_out_until)]),
    footer,
  ];
  return { to, subject, text: `${paragraphs.join('\n\n')}\n` };
}

/** `Steps: 3 succeeded, 1 failed.`; each file of a mapped node is a step. */
export function stepsIn(nodeCounts: readonly number[]): string {
  const counts = readCounters(nodeCounts);
  const sum = (of: (counters: (typeof counts)[number]) => number) =>
    counts.reduce((total, counters) => total + of(counters), 0);
  const words = [
    [sum(({ success }) => success), 'succeeded'],
    [sum(({ failure }) => failure), 'failed'],
    [sum(({ cancelled }) => cancelled), 'cancelled'],
    [sum((one) => one.skipped_by_condition + one.skipped_upstream), 'skipped'],
  ] as const;
  const told = words.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return told.length === 0 ? '' : `Steps: ${told.join(', ')}.`;
}

function beginningOf({ trigger_name, started_by_name, started_at, finished_at }: Told): string {
  const by = trigger_name === undefined ? started_by_name : `the trigger “${trigger_name}”`;
  const who = `Started by ${onOneLine(by ?? 'somebody')}`;
  if (started_at === undefined || finished_at === undefined) return `${who}.`;
  const took_s = Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1000);
  return `${who}, began ${minuteOf(started_at)}, took ${duration(took_s)}.`;
}

/** `2 h 5 min`, `40 s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const minuteOf = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;

const lastOne = (until: string) =>
  `These were many mails: until ${minuteOf(until)} you get no more of them. The page of the notice has what is left out.`;
