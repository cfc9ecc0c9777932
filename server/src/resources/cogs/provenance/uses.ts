/** What was made from a file: the runs that it went into, and their results. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { readCounters } from '../../../engine/kernel/counters.ts';
import { keyOf } from '../../../engine/plans.ts';
import { notFound } from '../../../errors.ts';
import type { Listed, Page } from '../../../pages.ts';
import type { Services } from '../../../services.ts';
import { reach } from '../../permissions/access.ts';
import { requireFileOf } from '../versions/new-versions.ts';
import { findLanes, findSuccessful } from './lane-queries.ts';
import { hiddenIn, type Places, placesOf, shownFile } from './places.ts';
import {
  findFirstMadeFiles,
  findMadeFiles,
  findUses,
  type MadeRow,
  type RunRow,
  type UseRow,
} from './queries.ts';
import type { MadeFile, ProvenanceRun } from './schema.ts';
import { madeFrom, type NodeRunRange, sourcesOf } from './sources.ts';

type Parts = Pick<Services, 'db' | 'rounds'>;

/** Results that each run includes. */
const inlineFiles = 5;
/** Nodes of each run that are searched for these. */
const searchedNodes = 50;
/** Runs whose plans and counters are in memory together: a graph may have 4 MiB and 2,000 nodes. */
const runsTogether = 20;

/** The runs that any version of a file went into. @throws DomainError 404, 403, 400 for a folder. */
export async function listUses(
  services: Parts,
  caller: Caller,
  id: number,
  page: Page,
): Promise<Listed<ProvenanceRun>> {
  const { db } = services;
  const { tenant_id } = caller;
  await requireFile(db, caller, id);
  const { rows, ...rest } = await findUses(db, tenant_id, id, page);
  const ranges = await rangesOf(services, rows);
  const made = await findFirstMadeFiles(
    db,
    tenant_id,
    rows.flatMap(({ workflow_run_id }) =>
      (ranges.get(workflow_run_id) ?? []).slice(0, searchedNodes),
    ),
    inlineFiles + 1,
  );
  const places = await placesOf(
    db,
    caller,
    made.map(({ cog_id }) => cog_id),
  );
  const ofRun = Map.groupBy(made, ({ run_id }) => run_id);
  const shown = rows.map((use): ProvenanceRun => {
    const files = ofRun.get(use.workflow_run_id) ?? [];
    const isSearched = (ranges.get(use.workflow_run_id)?.length ?? 0) <= searchedNodes;
    const some = files.slice(0, inlineFiles).map((row) => shownMade(caller, use, row, places));
    return {
      ...runOf(use),
      ...{ input_name: use.input_name, position: use.position },
      ...(use.version !== undefined && { version: use.version }),
      files: some,
      files_hidden: hiddenIn(some),
      more_files: files.length > some.length || !isSearched,
    };
  });
  return { rows: shown, ...rest };
}

/** A row of a list of results, with the keys of its order. */
type ListedFile = MadeFile & Pick<MadeRow, 'id' | 'node_run_id'>;

/** All results of one run that were made from a file. @throws DomainError like `listUses`. */
export async function listMadeFiles(
  services: Parts,
  caller: Caller,
  id: number,
  runId: number,
  page: Page,
): Promise<Listed<ListedFile>> {
  const { db } = services;
  await requireFile(db, caller, id);
  const only = { offset: 0, limit: 1, with_total: false };
  const { rows: uses } = await findUses(db, caller.tenant_id, id, only, runId);
  const [use] = uses;
  if (!use) throw notFound('Workflow run');
  const ranges = (await rangesOf(services, [use])).get(runId) ?? [];
  const { rows, ...rest } = await findMadeFiles(db, caller.tenant_id, ranges, page);
  const places = await placesOf(
    db,
    caller,
    rows.map(({ cog_id }) => cog_id),
  );
  const shown = rows.map((row) => ({
    ...shownMade(caller, use, row, places),
    ...{ id: row.id, node_run_id: row.node_run_id },
  }));
  return { rows: shown, ...rest };
}

async function requireFile(db: Db, caller: Caller, id: number) {
  const [cog] = await reach(db, caller, [id]);
  return requireFileOf(cog, 'view');
}

/** The node runs of each run whose results were made from the file. */
async function rangesOf({ db, rounds }: Parts, uses: readonly UseRow[]) {
  const ranges = new Map<number, NodeRunRange[]>();
  const byGraph = [...Map.groupBy(uses, keyOf).values()].flat();
  for (let at = 0; at < byGraph.length; at += runsTogether) {
    const some = byGraph.slice(at, at + runsTogether);
    for (const [id, of] of await rangesOfSome({ db, rounds }, some)) ranges.set(id, of);
  }
  return ranges;
}

async function rangesOfSome({ db, rounds }: Parts, uses: readonly UseRow[]) {
  const tenantId = uses[0]?.tenant_id ?? 0;
  const ids = uses.map(({ workflow_run_id }) => workflow_run_id);
  const [plans, lanes] = await Promise.all([
    rounds.ground.plans.of(db, uses),
    findLanes(db, tenantId, ids),
  ]);
  const inputs = Map.groupBy(uses, keyOf);
  const sources = new Map(
    [...plans].map(([key, plan]) => {
      const names = new Set(inputs.get(key)?.map(({ input_name }) => input_name));
      return [key, sourcesOf(plan, names)];
    }),
  );
  const lanesOf = new Map(lanes.map((row) => [row.id, row]));
  const found = uses.map((use): [number, NodeRunRange[]] => {
    const plan = plans.get(keyOf(use));
    const { first_ids, node_counts } = lanesOf.get(use.workflow_run_id) ?? {};
    // Without a plan, as in a damaged database, it is not known what was made from it.
    if (!plan || !first_ids || !node_counts) return [use.workflow_run_id, []];
    const run = { first_ids, counts: readCounters(node_counts) };
    const of = madeFrom(plan, sources.get(keyOf(use)) ?? [], run, use);
    return [use.workflow_run_id, of];
  });
  const needed = found.flatMap(([, of]) => of.flatMap(({ needed = [] }) => needed));
  const successful = await findSuccessful(db, tenantId, [...new Set(needed)]);
  return found.map(([id, of]): [number, NodeRunRange[]] => [
    id,
    of.filter(({ needed }) => needed === undefined || needed.some((one) => successful.has(one))),
  ]);
}

const shownMade = (caller: Caller, run: RunRow, row: MadeRow, places: Places): MadeFile => ({
  node_key: row.node_key,
  ...shownFile(caller, run, row, places),
});

/** What clients see of a run. */
export function runOf(run: RunRow) {
  const { workflow_run_id, is_deleted, status, test_run, started_by, trigger_id } = run;
  const { created_at, finished_at, workflow_id, workflow_name, is_workflow_deleted } = run;
  const { workflow_version_id, version_number, version_state, until } = run;
  return {
    ...{ workflow_run_id, is_deleted, status, test_run, started_by },
    ...(trigger_id !== undefined && { trigger_id }),
    created_at,
    ...(finished_at !== undefined && { finished_at }),
    ...{ workflow_id, workflow_name, is_workflow_deleted, workflow_version_id },
    ...{ version_number, version_state },
    ...(until !== undefined && { until }),
  };
}
