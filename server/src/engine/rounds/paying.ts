/** How what is handed out is paid for: accounts, first slices, and work that ends for want of credits. */
import { inThousandths, sliceOf } from '../../credits/prices.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Payment } from '../kernel/changes.ts';
import type { RunState } from '../kernel/state.ts';
import { endUnpaid } from '../kernel/unpaid.ts';
import { decideAll } from '../load.ts';
import type { Candidate } from '../queue/choose.ts';
import type { NodeRunRow, RunRow } from '../records.ts';
import type { Ids } from '../tables/ids.ts';
import { type Balances, balancesOf } from './credits.ts';
import type { Round } from './deciding.ts';
import type { Found } from './reading.ts';
import type { Unpayable } from './tasks.ts';

/** What accounts have, those of runs that begin in this round included. */
export function balancesIn(round: Round, { slots, candidates }: Found) {
  const counted = balancesOf([...slots, ...candidates]);
  for (const { run } of round.begun()) {
    const { credit_account_id: id, max_credits } = run;
    if (id === undefined || max_credits === undefined) continue;
    counted.balances.set(id, { available: inThousandths(max_credits), held: 0 });
  }
  return counted;
}

/** The accounts that pay for work of a run. */
export const accountsOf = (
  { credit_account_id: run_account_id }: RunRow,
  tenant_account_id: number | undefined,
): Pick<Candidate, 'tenant_account_id' | 'run_account_id'> => ({
  ...(tenant_account_id !== undefined && { tenant_account_id }),
  ...(run_account_id !== undefined && { run_account_id }),
});

/** What pays for an attempt; nothing without a limit. */
export function paymentOf(candidate: Candidate): Payment | undefined {
  const { tenant_account_id, run_account_id } = candidate;
  if ((tenant_account_id ?? run_account_id) === undefined) return undefined;
  return {
    ...(tenant_account_id !== undefined && { tenant_account_id }),
    ...(run_account_id !== undefined && { run_account_id }),
    credit_slice: sliceOf(candidate),
  };
}

/** A node run that is to be ended or leased, and its run. */
export type Row = { state: RunState; row: NodeRunRow };

/** Ends node runs for which their runs can never pay. */
export async function endHopeless(
  tx: Transaction,
  ids: Ids,
  hopeless: readonly Row[],
  balances: Balances,
): Promise<void> {
  if (hopeless.length === 0) return;
  const decisions = [...Map.groupBy(hopeless, ({ state }) => state)].map(([state, of]) => {
    const { available = 0 } = balances.get(state.run.credit_account_id ?? 0) ?? {};
    const rows = of.map(({ row }) => row);
    return { state, asking: endUnpaid(state, rows, available) };
  });
  await decideAll(tx, ids, decisions);
}

/** Of the queued node runs for which their runs can never pay, those whose ends take long, by run. */
export const unpayableOf = (rows: readonly Row[]): Unpayable[] =>
  [...Map.groupBy(rows, ({ state }) => state)].map(([{ run }, of]) => ({
    tenant_id: run.tenant_id,
    run_id: run.id,
    node_run_ids: of.map(({ row }) => row.id),
  }));
