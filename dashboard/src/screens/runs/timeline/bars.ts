/** How long a node run waited, got ready and ran, as bars. Pure. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';

export type Phase = 'waiting' | 'preparing' | 'running' | 'failed';
/** In milliseconds since 1970. */
export type Bar = { phase: Phase; from: number; to: number; attempt: number };

export const phaseWords: Record<Phase, string> = {
  waiting: t`Waited`,
  preparing: t`Fetched image and files`,
  running: t`Ran`,
  failed: t`Ran and failed`,
};

type Timed = Pick<NodeRun, 'queued_at' | 'started_at' | 'finished_at' | 'attempts'>;

/**
 * The phases of all tries in order: each waits from when it could begin until a worker takes it.
 *
 * @param now ends what has not ended.
 */
export function barsOf({ queued_at, finished_at, attempts = [] }: Timed, now: number): Bar[] {
  const bars: Bar[] = [];
  const add = (phase: Phase, attempt: number, from: number, to: number) => {
    if (to > from) bars.push({ phase, attempt, from, to });
  };
  const [first] = attempts;
  let free = Date.parse(queued_at ?? first?.leased_at ?? '');
  for (const one of attempts) {
    const leased = Date.parse(one.leased_at);
    const started = one.started_at === undefined ? undefined : Date.parse(one.started_at);
    const ended = one.finished_at === undefined ? now : Date.parse(one.finished_at);
    add('waiting', one.number, free, leased);
    add('preparing', one.number, leased, started ?? ended);
    const hasFailed = one.status === 'failure' || one.status === 'lost';
    if (started !== undefined) add(hasFailed ? 'failed' : 'running', one.number, started, ended);
    free = ended;
  }
  const isWaiting = finished_at === undefined && attempts.every((one) => one.finished_at);
  if (isWaiting && !Number.isNaN(free)) add('waiting', attempts.length + 1, free, now);
  return bars;
}

/** The scale of several node runs. */
export type Scale = { from: number; to: number };

/** Where a bar is on a scale, in percent. */
export function placeOn({ from, to }: Scale, bar: Bar): { left: number; width: number } {
  const whole = Math.max(1, to - from);
  return { left: ((bar.from - from) / whole) * 100, width: ((bar.to - bar.from) / whole) * 100 };
}
