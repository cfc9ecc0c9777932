/**
 * The time at which a file was changed on the machine that it comes from: `X-OC-Mtime`, as rclone
 * and the clients of ownCloud send it. Told instead of the time at which it was stored, as long as
 * the content is that one.
 */
import type { Db } from '../../db/connection.ts';
import type { Cog } from '../cogs/schema.ts';
import { setTime, type TimeRow } from './time-queries.ts';

/** The year 9999. */
const latest = 253_402_300_799;

/** Whole seconds since 1970; undefined if there are none in the text. */
export function secondsOf(text: string | undefined): number | undefined {
  const whole = /^\s*(\d{1,12})(\.\d*)?\s*$/.exec(text ?? '')?.[1];
  const seconds = Number(whole ?? Number.NaN);
  return seconds <= latest ? seconds : undefined;
}

/** Keeps the time for a file's current content. */
export async function keepTime(
  tx: Db,
  tenantId: number,
  { id, version }: Cog,
  seconds: number | undefined,
): Promise<void> {
  if (seconds === undefined || version === undefined) return;
  await setTime(tx, tenantId, { id, version }, seconds);
}

/** When it was last changed, by what is known of its times. */
export function modifiedAt(
  { id, version, updated_at }: Cog,
  times: readonly Partial<TimeRow>[],
): string {
  const own = times.find((time) => time.cog_id === id && time.version === version);
  return own?.modified_at ?? updated_at;
}
