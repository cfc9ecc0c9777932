/** Limits of a step in words. Pure. */
import { t } from '@lingui/core/macro';
import { formatCount, formatDuration, formatSize } from '../../../ui/format.ts';
import type { LimitName } from './raised-limit.ts';

export const moreLabels: Record<LimitName, string> = {
  memory_mb: t`Give it more memory`,
  disk_mb: t`Give it more disk space`,
  timeout_seconds: t`Give it more time`,
};

export const fieldLabels: Record<LimitName, string> = {
  memory_mb: t`Memory in MB`,
  disk_mb: t`Disk in MB`,
  timeout_seconds: t`Time in seconds`,
};

/** As it is told: "1024 MB", "3 min 0 s". */
export function amountWords(amount: number, name: LimitName): string {
  if (name === 'timeout_seconds') return formatDuration(amount * 1000);
  return t`${formatCount(amount)} MB`;
}

const megabyte = 1_000_000;

/** The same in a larger unit, where that is easier to grasp. */
export function largerUnit(amount: number, name: LimitName): string | undefined {
  if (name === 'timeout_seconds') return formatDuration(amount * 1000);
  return amount < 1000 ? undefined : formatSize(amount * megabyte);
}
