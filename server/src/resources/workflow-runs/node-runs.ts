/** Node runs as clients see them. */
import type { GraphName } from '../../engine/plans.ts';
import { findOutputsOf } from '../../engine/tables/outputs.ts';
import type { Page } from '../../pages.ts';
import type { Services } from '../../services.ts';
import { secretsOf } from '../secrets/secrets.ts';
import {
  findAttempts,
  findResultsOf,
  listNodeRunRows,
  type NodeRunFilter,
  type NodeRunWithReason,
  type RunHead,
} from './queries.ts';
import { queueReason } from './queue-reason.ts';
import type { Attempt, NodeRun, SecretGiven } from './schema.ts';

/** With a full disk no work is handed out, so other reasons do not matter. */
const fullDisk = "the server's disk is full; work goes on by itself once there is room";

export async function shownNodeRuns(
  { db, storage, rounds }: Pick<Services, 'db' | 'storage' | 'rounds'>,
  run: GraphName & Pick<RunHead, 'id'>,
  page: Page,
  { with_attempts = false, ...filter }: NodeRunFilter & { with_attempts?: boolean } = {},
) {
  const { rows: found, total } = await listNodeRunRows(db, run.tenant_id, run.id, filter, page);
  const rows = found.map(withReason);
  const ids = rows.map((row) => row.id);
  const [outputs, results, secrets, attempts] = await Promise.all([
    findOutputsOf(db, run.tenant_id, ids),
    findResultsOf(db, run.tenant_id, ids),
    secretsOf(db, run.tenant_id, ids),
    with_attempts ? findAttempts(db, run.tenant_id, ids) : [],
  ]);
  const isFull = (await storage.room()) <= 0;
  const byNodeRun = Map.groupBy(withFiles(outputs, results), (output) => output.node_run_id);
  const given = Map.groupBy(secrets, (secret) => secret.node_run_id);
  const tries = Map.groupBy(attempts, (attempt) => attempt.node_run_id);
  const plan = await rounds.ground.plans.planOf(db, run);
  const shown = rows.map((row): NodeRun & Pick<NodeRunWithReason, 'position'> => ({
    ...row,
    ...(isFull && row.status === 'queued' ? { queue_reason: fullDisk } : {}),
    title: plan.byKey.get(row.node_key)?.node.title ?? row.node_key,
    cached: row.reused_from_node_run_id !== undefined,
    outputs: byNodeRun.get(row.id) ?? [],
    ...withSecrets(given.get(row.id)),
    ...(with_attempts ? { attempts: (tries.get(row.id) ?? []).map(shownAttempt) } : {}),
  }));
  return { rows: shown, ...(total === undefined ? {} : { total }) };
}

type MadeOf = { node_run_id: number; object_id?: number };

/** Adds to each output the file that became of it. */
function withFiles<Output extends MadeOf>(
  outputs: readonly Output[],
  results: readonly (MadeOf & { cog_id: number })[],
): (Output & { cog_id?: number })[] {
  const keyOf = ({ node_run_id, object_id }: MadeOf) => `${node_run_id} ${object_id}`;
  const files = new Map(results.map((result) => [keyOf(result), result.cog_id]));
  return outputs.map((output) => {
    const cog_id = files.get(keyOf(output));
    return cog_id === undefined ? output : { ...output, cog_id };
  });
}

const withSecrets = (secrets: SecretGiven[] | undefined) => (secrets ? { secrets } : {});

function shownAttempt({ node_run_id: _, ...attempt }: Attempt & { node_run_id: number }): Attempt {
  return attempt;
}

/** Replaces the facts about a queued node run by the reason in words. */
function withReason(row: NodeRunWithReason) {
  const {
    queue_reason,
    retry_in_seconds,
    last_error_class,
    last_exit_code,
    last_error_message,
    needs_cpu,
    needs_memory_mb,
    needs_gpu,
    tenant_credits,
    run_credits,
    ...rest
  } = row;
  const reason = queueReason(row);
  return reason === undefined ? rest : { ...rest, queue_reason: reason };
}
