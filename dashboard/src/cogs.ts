/** What files and folders are called, and how their names are ordered. Pure. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';

export const isFolder = (cog: Pick<Cog, 'cog_type'>): boolean => cog.cog_type !== 'file';

export const nameOfFolder = (folder: Pick<Cog, 'cog_type' | 'name'>): string =>
  folder.cog_type === 'master_folder' ? t`My Files` : folder.name;

/** English has the order that the service has for all languages; without one, the browser's counts. */
const inNaturalOrder = new Intl.Collator('en', { numeric: true });

export const compareNames = (one: string, other: string): number =>
  inNaturalOrder.compare(one, other) || compareValues(one, other);

export const compareValues = <Value extends string | number>(one: Value, other: Value) =>
  one < other ? -1 : one > other ? 1 : 0;
