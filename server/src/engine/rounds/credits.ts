/** Credits in a round: what accounts have, and work that they cannot pay for. Pure. */
import { sliceOf } from '../../credits/prices.ts';
import type { Candidate } from '../queue/choose.ts';
import type { CountedCredits } from '../tables/credits.ts';

export type Balance = { available: number; held: number };

/** What accounts have, by id. */
export type Balances = Map<number, Balance>;

/** @returns `is_held`: whether another transaction uses one of them, which then has nothing available. */
export function balancesOf(counted: readonly CountedCredits[]): {
  balances: Balances;
  is_held: boolean;
} {
  const balances: Balances = new Map();
  for (const row of counted) {
    know(balances, row.tenant_account_id, row.tenant_credits);
    know(balances, row.run_account_id, row.run_credits);
  }
  const is_held = [...balances.values()].some(({ available }) => available < 0);
  return { balances, is_held };
}

/** One that was read twice was locked at least by what found more. */
function know(balances: Balances, id: number | undefined, found: number[] | undefined) {
  const [available, held] = found ?? [];
  if (id === undefined || available === undefined || held === undefined) return;
  if (available >= (balances.get(id)?.available ?? -1)) balances.set(id, { available, held });
}

/** The credits available to `choose`, by account. */
export const creditsOf = (balances: Balances): Map<number, number> =>
  new Map([...balances].map(([id, { available }]) => [id, Math.max(0, available)]));

/**
 * Whether the run's own account can never pay for it: nothing is held there that might come back, and
 * nobody can add to it.
 */
export function isHopeless(candidate: Candidate, balances: Balances): boolean {
  const own = balanceOfRun(candidate, balances);
  return own?.held === 0 && own.available >= 0 && own.available < sliceOf(candidate);
}

/**
 * Runs whose own accounts cannot pay for more of these until something of them ends. Their work must not
 * hide that of others.
 */
export function unpaidRuns(
  candidates: readonly Candidate[],
  choices: readonly { candidate: Candidate }[],
  balances: Balances,
): number[] {
  const credits = creditsOf(balances);
  const chosen = new Set(choices.map(({ candidate }) => candidate));
  for (const one of chosen) {
    const { run_account_id: id } = one;
    if (id !== undefined) credits.set(id, (credits.get(id) ?? 0) - sliceOf(one));
  }
  const unpaid = candidates.filter(
    (one) =>
      one.run_account_id !== undefined &&
      !chosen.has(one) &&
      (credits.get(one.run_account_id) ?? 0) < sliceOf(one),
  );
  return [...new Set(unpaid.map(({ run_id }) => run_id))];
}

const balanceOfRun = ({ run_account_id: id }: Candidate, balances: Balances) =>
  id === undefined ? undefined : balances.get(id);
