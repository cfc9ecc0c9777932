/** How many credits a run may spend, as typed. Pure. */
import { t } from '@lingui/core/macro';

/** Nothing is no limit. */
export const creditsIn = (text: string): number | undefined =>
  text.trim() === '' ? undefined : Number(text.replace(',', '.'));

/** What is wrong with it; credits have thousandths. */
export function creditsFault(text: string): string | undefined {
  if (!/^\s*(\d{1,9}([.,]\d{1,3})?)?\s*$/.test(text))
    return t`A number with at most three decimals, or nothing.`;
  return creditsIn(text) === 0 ? t`A number above 0, or nothing.` : undefined;
}
