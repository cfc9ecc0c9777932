/** What a subscription's answer has, and its limits in words. Pure. */
import type { Subscription } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { formatValue } from '../../ui/charts/values.ts';
import { locale } from '../../ui/language.ts';

/** Periods begin and end at midnight UTC. */
export const dayOf = (iso: string): string =>
  new Date(iso).toLocaleDateString(locale, {
    ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  });

/** What is held is neither used nor remaining. In thousandths, because fractions do not add up. */
export function heldIn({
  credits_used,
  credits_remaining,
  credits_limit,
  credits_added = 0,
}: Subscription): number | undefined {
  if (credits_limit === undefined || credits_remaining === undefined) return undefined;
  const held = credits_limit + credits_added - credits_used - credits_remaining;
  return Math.max(0, Math.round(held * 1000) / 1000);
}

export function heldWords(held: number, remaining: number): string {
  const [some, rest] = [formatValue(held, 'credits'), formatValue(remaining, 'credits')];
  return t`${some} are held for work under way, ${rest} remain.`;
}

export function addedWords(added: number): string {
  const some = formatValue(added, 'credits');
  return t`${some} were added to this period alone.`;
}

/** What counts, and what happens when the limit is reached. */
export const countedWords = {
  storage: t`Earlier versions, the trash and results of runs count; copies that share their contents count once.`,
  seats: t`Active users and open invitations count.`,
  credits: t`A credit is a minute of one CPU in a container; much memory and GPUs cost more. Waiting, pulling images and results from an earlier run are free.`,
};

export const limitWords = {
  storage: t`At the limit, uploads are refused and steps fail whose results do not fit. Nothing is removed. Emptying the trash makes room.`,
  seats: t`At the limit, nobody else can be invited. Revoking an invitation or disabling a user frees a seat.`,
  credits: (renewal: string) =>
    t`At the limit, no run starts and nothing that waits goes on until ${renewal}; steps that run end within five minutes.`,
};
