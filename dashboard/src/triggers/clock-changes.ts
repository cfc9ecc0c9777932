/** Where clocks change between the times of a schedule. Pure. */
import type { ComingTick } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { offsetAt } from '../ui/zones.ts';

export type MarkedTick = ComingTick & {
  /** What clocks do before this time, if they change. */
  change?: string;
};

/** @param now what clocks showed before the first time. */
export function markedTicks(
  ticks: readonly ComingTick[],
  timezone: string,
  now: Date,
): MarkedTick[] {
  let before = offsetAt(now, timezone);
  return ticks.map((tick) => {
    const offset = Math.round((wallTime(tick.local_time) - Date.parse(tick.at)) / 60_000);
    const moved = before === undefined ? 0 : offset - before;
    before = offset;
    return moved === 0 ? tick : { ...tick, change: changeWords(moved) };
  });
}

const wallTime = (local: string) => Date.parse(`${local.replace(' ', 'T')}Z`);

function changeWords(minutes: number): string {
  const amount = Math.abs(minutes);
  const hours = amount / 60;
  const length = amount % 60 === 0 ? t`${hours} h` : t`${amount} min`;
  return minutes > 0 ? t`Clocks go forward ${length} before` : t`Clocks go back ${length} before`;
}
