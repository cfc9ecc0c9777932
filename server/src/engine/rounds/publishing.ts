/**
 * Rounds of reports whose outputs become files of a tenant. They create folders, read permissions
 * and may wait for locks on folders, so they run beside the other rounds, batched per tenant. So do
 * stops that end a long queue, and the end of work in a long queue that cannot be paid for.
 */
import { Batches, type Outcome } from '../../batches.ts';
import { canBeRepeated } from '../../db/connection.ts';
import { databaseTrouble } from '../../db/trouble.ts';
import { type Ground, runRound } from './round.ts';
import type { RoundResult, Task, TaskOutcome, Unpayable } from './tasks.ts';

/** How many run at once. The rest of the connection pool stays free for other work. */
const lines = 2;
/** Tasks per round; each may publish ten thousand files. */
const mostTasks = 32;

type Apart = { tenant_id: number; task: Task };

export class Publishing {
  readonly #ground: Ground;
  readonly #onDone: (result: RoundResult<never>) => void;
  /** Runs whose unpaid work is being ended. */
  readonly #ending = new Set<number>();
  readonly #batches: Batches<number, Apart, TaskOutcome>;

  /** @param onDone receives the result of each round. */
  constructor(ground: Ground, onDone: (result: RoundResult<never>) => void) {
    this.#ground = ground;
    this.#onDone = onDone;
    this.#batches = new Batches((_, items) => this.#do(items), mostTasks);
  }

  /**
   * @returns the outcome of the task; `locked` if another transaction holds the lock of its run.
   */
  add(tenant_id: number, task: Task): Promise<TaskOutcome> {
    return this.#batches.add(tenant_id % lines, { tenant_id, task });
  }

  /** Ends what a run can never pay for, a portion at a time. What is locked is found again by the next look. */
  async endUnpaid(unpayable: Unpayable): Promise<void> {
    const { tenant_id, run_id } = unpayable;
    if (this.#ending.has(run_id)) return;
    this.#ending.add(run_id);
    try {
      let hasMore = true;
      while (hasMore) {
        const outcome = await this.add(tenant_id, { do: 'end unpaid', ...unpayable });
        hasMore =
          typeof outcome === 'object' &&
          'result' in outcome &&
          outcome.result.of === 'end unpaid' &&
          outcome.result.has_more;
      }
    } finally {
      this.#ending.delete(run_id);
    }
  }

  async #do(items: readonly Apart[]): Promise<Outcome<TaskOutcome>[]> {
    const outcomes = new Map<Apart, Outcome<TaskOutcome>>();
    // Tenants never share a transaction: a lock of one tenant must not delay another.
    for (const of of Map.groupBy(items, ({ tenant_id }) => tenant_id).values())
      await this.#doTogether(of, outcomes);
    return items.map((item) => outcomes.get(item) as Outcome<TaskOutcome>);
  }

  async #doTogether(
    items: readonly Apart[],
    outcomes: Map<Apart, Outcome<TaskOutcome>>,
    tries = 0,
  ): Promise<void> {
    const tasks = items.map(({ task }) => task);
    const options = { look: false, without: [], publish: true };
    try {
      const round = await runRound<never>(this.#ground, tasks, [], options);
      for (const [at, item] of items.entries())
        outcomes.set(item, { result: round.outcomes[at] ?? 'locked' });
      this.#onDone(round);
    } catch (error) {
      if (canBeRepeated(error) && tries < 3) return this.#doTogether(items, outcomes, tries + 1);
      if (items.length > 1 && databaseTrouble(error) !== 'away') {
        for (const item of items) await this.#doTogether([item], outcomes);
        return;
      }
      for (const item of items) outcomes.set(item, { error });
    }
  }
}
