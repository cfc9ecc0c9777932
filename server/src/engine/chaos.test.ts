/**
 * Random graphs over the real server and database: workers fail, vanish, report twice or too late,
 * and users cancel and restart runs, or some of their node runs. After each run the stored state must be consistent, and equal
 * to what the rules say (test/reference-run.ts).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inputLimits } from '@cogworks/graph/lanes';
import { partUntil } from '@cogworks/graph/part';
import { seeded } from '@cogworks/graph/random';
import type { Definition, Graph } from '@cogworks/graph/types';
import { validateGraph } from '@cogworks/graph/validate';
import { below, fateOf, type Random, randomGraph, shapes } from '../../test/random-graphs.ts';
import {
  type Chosen,
  choiceOf,
  type Definitions,
  type Fate,
  hash,
  mended,
  outputsOf,
  ReferenceRun,
} from '../../test/reference-run.ts';
import { requireSound } from '../../test/run-soundness.ts';
import { filesOf, run, type Stage, stage, versionOf } from '../../test/runs.ts';
import { sweepInPeace } from '../../test/sweeps.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../test/worker.ts';
import { registerNode } from '../../test/workflows.ts';

const seeds = 60;
/** Tenants that run at the same time, so that they share the queue and the sweep. */
const tenants = 4;

type World = Stage & {
  workers: ScriptedWorker[];
  definitions: Definitions;
  /** What a run takes. */
  files: { id: number; name: string; checksum_sha256: string }[];
  allFiles: World['files'];
  sweep(): Promise<number>;
};

async function world(): Promise<World> {
  const people = await stage();
  const { owner, server, worker } = people;
  const second = await scriptedWorker(server, owner.user.tenant_id);
  const definitions = new Map<number, Definition>();
  for (const [inputs, ports] of shapes) {
    const outputs = ports.map((port) => ({ ...port, glob: '*' }));
    const isSplit = ports.some((port) => port.cardinality === 'many');
    const command = isSplit ? ['split', '{{vars.parts}}'] : ['work'];
    const given = { command, inputs, outputs, timeout_seconds: 60 };
    const retry = { max_attempts: 2, on: ['exit:75'] };
    const id = await registerNode(owner, { ...given, retry });
    definitions.set(id, { ...given, id, name: 'x', version: '1' });
  }
  const names = ['f0', 'f1', 'f2'];
  const ids = await filesOf(owner, ...names);
  const files = names.map((name, at) => ({
    id: ids[at] ?? 0,
    name,
    checksum_sha256: hash(`bytes of ${name}`),
  }));
  const sweep = () => sweepInPeace(server.services);
  return { ...people, workers: [worker, second], definitions, files, allFiles: files, sweep };
}

/** A run under way, and the fate of its attempts. */
type Play = {
  here: World;
  id: number;
  fate: Fate;
  random: Random;
  seed: number;
  graph: Graph;
  /** Faults so far of each node run; few enough to stay within the platform's retry budget. */
  faults: Map<string, number>;
  isOver: boolean;
  /** How many of its node runs may be leased at once. */
  cap: number;
  /** The node it ends with, if it is not a run of all. */
  until: string | undefined;
};

type Held = { order: Order; worker: ScriptedWorker };

async function playToTheEnd(play: Play, cancelAt: number): Promise<void> {
  const { here, id, random } = play;
  const { db } = here.server.services;
  const held: Held[] = [];
  let shown = 0;
  for (let step = 0; ; step += 1) {
    assert.ok(step < 300, 'the run ends');
    const path = `/workflows/workflow-runs/${id}`;
    const { body: progress } = await here.owner.get(`${path}/progress`);
    assert.ok(progress.progress_percentage >= shown, 'progress does not fall');
    shown = progress.progress_percentage;
    if (step === cancelAt) {
      const { status } = await here.owner.post(`${path}/cancel`);
      assert.ok(status === 200 || status === 409);
      play.isOver = true;
    }
    if (held.length === 0 || random() < 0.3) {
      const [row] = await db`select status from workflow_runs where id = ${id}`;
      if (row?.status !== 'queued' && row?.status !== 'running') break;
      await db`update ready_queue set not_before = now() where run_id = ${id}`;
      const worker = here.workers[below(random, 2)] as ScriptedWorker;
      const orders = await worker.acquire(4);
      assert.ok(orders.length === 0 || step < cancelAt || cancelAt < 0, 'a cancelled run sleeps');
      held.push(...orders.map((order) => ({ order, worker })));
      assert.ok(held.length <= play.cap, `${held.length} are leased under a cap of ${play.cap}`);
    }
    // Two at once, so that one round takes both reports.
    const some = held.splice(0, 2);
    await Promise.all(some.map((one) => treat(play, one, random())));
  }
  assert.deepEqual(held, [], 'nothing is held of a run that has ended');
}

async function treat(play: Play, { order, worker }: Held, dice: number): Promise<void> {
  const { here, faults, fate, isOver } = play;
  const place = `${order.node_key}|${order.shard_index}`;
  const before = faults.get(place) ?? 0;
  if (dice < 0.9) await worker.started(order);
  if (dice < 0.3 && before < 2) {
    faults.set(place, before + 1);
    if (dice < 0.1) return lose(here, { order, worker });
    const report =
      dice < 0.17
        ? { status: 'cancelled' }
        : dice < 0.24
          ? { status: 'success', exit_code: 0, outputs: [neverStored] }
          : { status: 'failure', error_class: 'exit_nonzero', exit_code: before === 0 ? 75 : 1 };
    // Only the first failure of the program may be retried.
    if (report.exit_code !== 1) {
      if (report.exit_code === 75) faults.set(place, 2);
      assert.equal((await worker.complete(order, report)).status, 204);
      return;
    }
  }
  const lane = order.shard_index as number | undefined;
  const key = order.node_key as string;
  const node = play.graph.nodes.find((it) => it.key === key);
  const definition = here.definitions.get(node?.node_definition_id ?? 0) as Definition;
  const made = outputsOf(definition, { key, lane, fate, inputs: order.inputs });
  const report = fate.fails(key, lane)
    ? { status: 'failure', exit_code: 1, error_class: 'exit_nonzero' }
    : { status: 'success', exit_code: 0, outputs: await worker.upload(order, made) };
  const answers = await Promise.all(
    Array.from({ length: dice > 0.8 ? 2 : 1 }, () => worker.complete(order, report)),
  );
  // A stopped attempt ends as cancelled, so a second report that says "failure" is refused.
  const fine = isOver || report.status === 'failure' ? [204, 409] : [204];
  for (const { status } of answers) assert.ok(fine.includes(status), `${status}`);
}

const neverStored = {
  ...{ port: 'x', name: 'x0', object_id: 2 ** 40, size_bytes: 1 },
  checksum_sha256: hash('never stored'),
};

/** The worker vanishes, its work goes to another worker, and its late report changes nothing. */
async function lose({ server, sweep }: World, { order, worker }: Held) {
  const outputs = await worker.upload(order, [{ port: 'x', name: 'late', text: 'late' }]);
  const { db } = server.services;
  await db`update attempts set lease_expires_at = now() - interval '1 second' where id = ${order.attempt_id}`;
  await sweep();
  const late = await worker.complete(order, { status: 'success', exit_code: 0, outputs });
  assert.equal(late.status, 409);
}

type Row = { node_key: string; shard_index?: number; status: string; skip_reason?: string };

/** Compares all node runs with the rules; of a stopped run, those that finished normally. */
async function checkByRules(play: Play, isStopped: boolean): Promise<string> {
  const { here, id, graph, fate, until } = play;
  const { db } = here.server.services;
  const reference = new ReferenceRun(graph, here.definitions, here.files, fate);
  const rows = await db<(Row & { files: string[]; published: string[] })[]>`
    select node_key, shard_index, status, skip_reason,
      array(select checksum_sha256 from node_run_outputs
            where node_run_id = node_runs.id order by port, position) as files,
      array(select run_files.checksum_sha256 from run_files
            join cogs on cogs.id = cog_id and deleted_at is null
            where node_run_id = node_runs.id order by run_files.id) as published
    from node_runs
    where run_id = ${id}
    order by node_key, shard_index
  `;
  const isLeaf = (key: string) => (until === undefined ? reference.isLeaf(key) : key === until);
  for (const { node_key, shard_index, status, skip_reason, files, published } of rows) {
    const wanted = reference.state(node_key, shard_index);
    const place = `${node_key}|${shard_index}`;
    const isDone = status === 'success' || status === 'failure';
    if (!isStopped || isDone) assert.deepEqual([place, status], [place, wanted.status]);
    if (!isStopped) assert.equal(skip_reason, wanted.skip_reason, place);
    if (status !== 'success') assert.deepEqual(files, [], place);
    else assert.deepEqual(files, [...wanted.files.values()].flat(), place);
    // A test until a node gives the files of every node.
    const isGiven = until !== undefined || isLeaf(node_key);
    assert.deepEqual([...published].sort(), isGiven ? [...files].sort() : []);
  }
  if (!isStopped) {
    const places = (list: Row[]) => list.map((row) => `${row.node_key}|${row.shard_index}`).sort();
    const part = until === undefined ? graph : partUntil(graph, until, here.definitions);
    const all = (part?.nodes ?? []).flatMap(({ key }) =>
      reference.lanes(key).map((shard_index) => `${key}|${shard_index}`),
    );
    assert.deepEqual(places(rows), all.sort());
  }
  const has = (status: string, only = (_: string) => true) =>
    rows.some((row) => row.status === status && only(row.node_key));
  if (has('cancelled')) return 'cancelled';
  if (!has('failure')) return 'success';
  return has('success', isLeaf) ? 'partial_success' : 'failure';
}

/** Plays a run that has been started, and checks all of its state. @returns its outcome. */
async function playAndCheck(play: Play, cancelAt: number, isStopped: boolean): Promise<string> {
  const { here, id } = play;
  await playToTheEnd(play, cancelAt);
  await requireSound(here.server.services.db, id);
  const outcome = await checkByRules(play, isStopped);
  const path = `/workflows/workflow-runs/${id}`;
  const { body: ended } = await here.owner.get(path);
  assert.equal(ended.status, outcome);
  const { body: progress } = await here.owner.get(`${path}/progress`);
  assert.equal(progress.progress_percentage === 100, /success/.test(outcome));

  const again = await here.owner.post(`${path}/cancel`);
  assert.equal(again.status, outcome === 'cancelled' ? 200 : 409);
  for (const worker of here.workers) assert.deepEqual(await worker.acquire(), []);
  assert.deepEqual((await here.owner.get(path)).body, ended, 'it stays as it ended');
  return outcome;
}

/** Gives the workflow of a version a cap. */
async function limit({ owner }: World, version: number, max_running: number): Promise<void> {
  const { body } = await owner.get(`/workflows/workflow-versions/${version}`);
  const { status } = await owner.patch(`/workflows/${body.workflow_id}`, { max_running });
  assert.equal(status, 200);
}

/** The same graph, or one with another container in place of one. */
function changedGraph(random: Random, graph: Graph, definitions: Definitions): Graph {
  const at = below(random, graph.nodes.length);
  const ids = [...definitions.keys()];
  const node_definition_id = ids[below(random, ids.length)] as number;
  const nodes = graph.nodes.map((node, place) =>
    place === at ? { ...node, node_definition_id } : node,
  );
  const changed = { ...graph, nodes };
  return validateGraph(changed, definitions).valid ? changed : graph;
}

/** Starts another version over other files, which takes over what is the same in an ended run. */
async function playFrom(
  before: Play,
  version: number,
  play: (id: number, fate: Fate) => Play,
): Promise<string[]> {
  const { here, random, id } = before;
  const graph = changedGraph(random, before.graph, here.definitions);
  const { body: old } = await here.owner.get(`/workflows/workflow-versions/${version}`);
  const path = `/workflows/${old.workflow_id}/versions`;
  const { body: made } = await here.owner.post(path, { graph });
  const { min = 0, max = 3 } = inputLimits(graph, here.definitions).get('files') ?? {};
  const files = here.allFiles.slice(0, Math.max(1, min, Math.min(max, 1 + below(random, 3))));
  const extra_variables = { parts: 1 + below(random, 2), wanted: random() < 0.5 };
  const { body, status } = await run(here.owner, made.id, {
    cog_ids: files.map((file) => file.id),
    ...{ extra_variables, reuse_from_run_id: id },
  });
  assert.equal(status, 202, JSON.stringify(body));
  const next = play(body.workflow_run_id, fateOf(before.seed, 0, extra_variables));
  const there = { ...next, graph, until: undefined, here: { ...here, files } };
  const outcome = await playAndCheck(there, -1, false);
  const { db } = here.server.services;
  const taken = await db`
    select from node_runs where run_id = ${next.id} and reused_from_node_run_id is not null limit 1
  `;
  return taken.length > 0 ? [outcome, 'taken over'] : [outcome];
}

async function playSeed(here: World, seed: number): Promise<string[]> {
  const random = seeded(seed);
  const graph = randomGraph(random, here.definitions);
  const { min = 0, max = 3 } = inputLimits(graph, here.definitions).get('files') ?? {};
  const files = here.files.slice(0, Math.max(1, min, Math.min(max, 1 + below(random, 3))));
  const there = { ...here, files };
  const version = await versionOf(here.owner, graph);
  const kind = below(random, 6);
  const cancelAt = kind === 0 ? below(random, 12) : -1;
  const on_failure = kind === 1 ? 'abort' : 'continue';
  const cap = seed % 3 === 0 ? 1 + (seed % 2) : Number.POSITIVE_INFINITY;
  if (seed % 3 === 0) await limit(here, version, cap);
  for (const worker of here.workers) await worker.heartbeat();
  const wanted = random() < 0.6;
  const until = seed % 4 === 1 ? graph.nodes[seed % graph.nodes.length]?.key : undefined;
  const { body, status } = await run(here.owner, version, {
    cog_ids: files.map((file) => file.id),
    extra_variables: { wanted },
    on_failure,
    ...(until !== undefined && { until }),
  });
  assert.equal(status, 202, JSON.stringify(body));

  const play = (id: number, fate: Fate): Play => ({
    ...{ here: there, id, fate, random, graph, seed },
    ...{ faults: new Map<string, number>(), isOver: on_failure === 'abort', cap, until },
  });
  const first = play(body.workflow_run_id, fateOf(seed, 0.2, { wanted }));
  const outcomes = [await playAndCheck(first, cancelAt, kind < 2)];
  if (seed % 3 > 0) outcomes.push(...(await playFrom(first, version, play)));
  if (seed % 2 === 0) outcomes.push(...(await playSome(first, on_failure === 'abort', play)));
  if (random() < 0.8) {
    const isChanged = random() < 0.7;
    const extra_variables = { parts: 1 + below(random, 3), wanted: wanted !== isChanged };
    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;
    const restarted = await here.owner.post(path, { mode: 'failed', extra_variables });
    assert.equal(restarted.status, 202, JSON.stringify(restarted.body));
    // On the restart every failed node run succeeds, and no successful one fails.
    const second = play(restarted.body.workflow_run_id, fateOf(seed, 0, extra_variables));
    outcomes.push(await playAndCheck(second, -1, on_failure === 'abort'));
  }
  return outcomes;
}

/** Restarts some node runs of a run that has ended. The others keep their results and failures. */
async function playSome(
  { here, id, graph, fate, random }: Play,
  mayStop: boolean,
  play: (id: number, fate: Fate) => Play,
): Promise<string[]> {
  const { db } = here.server.services;
  const find = (run: number) => db<(Row & { id: number; reused_from_node_run_id?: number })[]>`
    select * from node_runs where run_id = ${run} order by node_key, shard_index
  `;
  const before = await find(id);
  if (before.length === 0) return [];
  const only = choiceOf(random, before);
  const answer = await here.owner.post(`/workflows/workflow-runs/${id}/restart`, { only });
  const reference = new ReferenceRun(graph, here.definitions, here.files, fate);
  const isAgain = (key: string, lane: number | undefined) => reference.isAgain(key, lane, only);
  const after = mended(fate, isAgain);
  if (answer.status === 422) {
    assert.equal(answer.body.detail[0].type, 'upstream_failed');
    const rules = new ReferenceRun(graph, here.definitions, here.files, after);
    const { node_key, shard_index } = only[answer.body.detail[0].loc[2]] as Chosen;
    const lanes = shard_index === undefined ? rules.lanes(node_key) : [shard_index];
    for (const lane of lanes)
      assert.equal(rules.state(node_key, lane).skip_reason, 'upstream_failed');
    return [];
  }
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const again = answer.body.workflow_run_id;
  const outcome = await playAndCheck(play(again, after), -1, mayStop);
  const places = new Map(before.map((row) => [`${row.node_key}|${row.shard_index}`, row]));
  for (const { node_key, shard_index, reused_from_node_run_id } of await find(again)) {
    const then = places.get(`${node_key}|${shard_index}`);
    const isKept = then?.status === 'success' || then?.status === 'failure';
    const source = isKept && !isAgain(node_key, shard_index) ? then.id : undefined;
    assert.equal(reused_from_node_run_id, source, `${node_key}|${shard_index} is taken over`);
  }
  return [outcome];
}

describe('chaos', () => {
  it('leaves every run ended, sound, and as the rules say', async () => {
    const waiting = Array.from({ length: seeds }, (_, at) => at + 1).values();
    const outcomes = new Set<string>();
    const lane = async () => {
      const here = await world();
      for (const seed of waiting) {
        const ended = await playSeed(here, seed).catch((error: unknown) => {
          throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, {
            cause: error,
          });
        });
        for (const outcome of ended) outcomes.add(outcome);
      }
    };
    await Promise.all(Array.from({ length: tenants }, lane));
    const all = ['cancelled', 'failure', 'partial_success', 'success', 'taken over'];
    assert.deepEqual([...outcomes].sort(), all);
  });
});
