/**
 * The price list: a credit is one minute of one cpu while a container runs; memory beyond 4 GiB per cpu
 * counts as a quarter cpu per 4 GiB, a gpu as 20 cpus. Amounts are thousandths of credits.
 */
import type { Resources } from '@cogworks/graph/resources';

/** Credits per minute of a container of that size. */
export const rateOf = ({ cpu, memory_mb, gpu }: Omit<Resources, 'disk_mb'>): number =>
  cpu + Math.max(0, memory_mb / 4096 - cpu) * 0.25 + gpu * 20;

/** The same in millionths of a credit, without fractions, which do not add up. */
export const exactRateOf = (needs: Omit<Resources, 'disk_mb'>): number =>
  Math.round(rateOf(needs) * 1_000_000);

/** Credits are held for this long at a time. */
export const slice_ms = 5 * 60 * 1000;

/** What a slice costs, rounded up, so that it pays for all of its time. */
export const sliceOf = (needs: Omit<Resources, 'disk_mb'>): number =>
  Math.ceil((exactRateOf(needs) * slice_ms) / 60_000_000);

/** More is held when less time than this is paid for. */
export const margin_ms = 90_000;

export const inCredits = (thousandths: number): number => thousandths / 1000;

/** Without what is less than a thousandth. */
export const inThousandths = (credits: number): number => Math.floor(credits * 1000 + 1e-6);
