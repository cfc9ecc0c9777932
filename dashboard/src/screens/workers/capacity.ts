/** How much of a worker is in use, in words. Pure. */
import type { Worker } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { formatCount, formatSize } from '../../ui/format.ts';

export type Share = { label: string; words: string; share: number };

const formatMb = (mb: number) => formatSize(mb * 1_000_000);
const round = (count: number) => Math.round(count * 10) / 10;

/** What the worker has of each kind; what it has nothing of is left out. */
export function sharesOf({ capacity, in_use, status }: Worker): Share[] {
  // What a worker that is away said last is no longer true.
  const used = status === 'offline' ? {} : in_use;
  const kinds = [
    [t`CPU`, capacity.cpu, used.cpu, (of: number) => formatCount(round(of))],
    [t`Memory`, capacity.memory_mb, used.memory_mb, formatMb],
    [t`Disk`, capacity.disk_mb, used.disk_mb, formatMb],
    [t`GPU`, capacity.gpu, used.gpu, formatCount],
  ] as const;
  return kinds
    .filter(([, all]) => all > 0)
    .map(([label, all, part = 0, format]) => {
      const [inUse, total] = [format(part), format(all)];
      return { label, words: t`${inUse} of ${total}`, share: Math.min(1, part / all) };
    });
}
