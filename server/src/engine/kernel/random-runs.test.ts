/**
 * Random graphs through the pure kernel, over a store in memory: attempts fail, are retried, are
 * lost or given back; users cancel and restart runs, or some of their node runs; reports arrive together. After each run the
 * stored state must be consistent, and equal to what the rules say (test/reference-run.ts).
 * chaos.test.ts does the same, with fewer runs, through the whole server.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inputLimits } from '@cogworks/graph/lanes';
import { seeded } from '@cogworks/graph/random';
import type { Definition } from '@cogworks/graph/types';
import { restart, restartOnly, startFrom } from '../../../test/memory-restarts.ts';
import { MemoryStore } from '../../../test/memory-store.ts';
import { below, fateOf, type Random, randomGraph, shapes } from '../../../test/random-graphs.ts';
import {
  choiceOf,
  type Fate,
  hash,
  mended,
  outputsOf,
  ReferenceRun,
} from '../../../test/reference-run.ts';
import type { NodeDefinition } from '../../resources/node_definitions/schema.ts';
import { planGraph } from './plan.ts';

const runs = Number(process.env.RANDOM_RUNS ?? 10_000);
const firstSeed = Number(process.env.RANDOM_SEED ?? 1);

const definitions = new Map(
  shapes.map(([inputs, ports], at) => {
    const isSplit = ports.some(({ cardinality }) => cardinality === 'many');
    const definition = {
      ...{ id: at + 1, name: 'x', version: '1', image: 'x', params: {}, network: 'none' },
      command: isSplit ? ['split', '{{vars.parts}}'] : ['work'],
      ...{ inputs, outputs: ports.map((port) => ({ ...port, glob: '*' })), timeout_seconds: 60 },
      resources: { cpu: 1, memory_mb: 64, gpu: 0, disk_mb: 64 },
      retry: { max_attempts: 2, on: ['exit:75'] },
    };
    return [definition.id, definition as unknown as NodeDefinition & Definition];
  }),
);
const files = ['f0', 'f1', 'f2'].map((name) => ({
  name,
  checksum_sha256: hash(`bytes of ${name}`),
}));

type Play = {
  store: MemoryStore;
  random: Random;
  reference: ReferenceRun;
  fate: Fate;
  /** Faults so far of each node run; few enough to stay within the platform's retry budget. */
  faults: Map<number, number>;
};

describe('the kernel', () => {
  // Takes ten seconds on an idle core; the limit allows for a busy machine.
  it(`ends ${runs} random runs soundly, and as the rules say`, { timeout: 1_200_000 }, () => {
    const outcomes = new Set<string>();
    for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
      try {
        playSeed(seed, outcomes);
      } catch (cause) {
        throw new Error(`seed ${seed}: ${(cause as Error).message}`, { cause });
      }
    }
    const all = ['cancelled', 'failure', 'partial_success', 'success', 'taken over'];
    if (runs > 1000) assert.deepEqual([...outcomes].sort(), all);
  });
});

function playSeed(seed: number, outcomes: Set<string>): void {
  const random = seeded(seed);
  const graph = randomGraph(random, definitions);
  const { min = 0, max = 3 } = inputLimits(graph, definitions).get('files') ?? {};
  const given = files.slice(0, Math.max(1, min, Math.min(max, 1 + below(random, 3))));
  const kind = below(random, 6);
  const on_failure = kind === 1 ? 'abort' : 'continue';
  const wanted = random() < 0.6;
  const store = new MemoryStore(planGraph(graph, definitions), given);

  const first = { parts: 1, wanted };
  const id = store.start({ on_failure, extra_variables: first });
  const fate = fateOf(seed, 0.2, first);
  const play = (of: Fate): Play => ({
    ...{ store, random, fate: of, faults: new Map() },
    reference: new ReferenceRun(graph, definitions, given, of),
  });
  outcomes.add(playAndCheck(play(fate), id, kind === 0 ? below(random, 12) : -1, kind < 2));
  outcomes.add(playSome(play(fate), id, on_failure === 'abort'));
  if (random() > 0.8) return;
  const isChanged = random() < 0.7;
  const second = { parts: 1 + below(random, 3), wanted: wanted !== isChanged };
  const again = restart(store, id, second);
  // On the restart every failed node run succeeds, and no successful one fails.
  const better = fateOf(seed, 0, second);
  outcomes.add(playAndCheck(play(better), again, -1, on_failure === 'abort'));
  outcomes.add(playSome(play(better), again, on_failure === 'abort'));
  const third = { parts: 1 + below(random, 3), wanted: random() < 0.5 };
  const from = startFrom(store, random() < 0.5 ? id : again, third);
  outcomes.add(playAndCheck(play(fateOf(seed, 0, third)), from, -1, on_failure === 'abort'));
  if (store.nodeRuns(from).some((row) => row.reused_from_node_run_id !== undefined))
    outcomes.add('taken over');
}

/** Restarts some node runs of a run that has ended. The others keep their results and failures. */
function playSome({ store, random, reference, ...given }: Play, id: number, mayStop: boolean) {
  const before = store.nodeRuns(id);
  if (before.length === 0) return 'success';
  const only = choiceOf(random, before);
  const again = restartOnly(store, id, only);
  const isAgain = (key: string, lane: number | undefined) => reference.isAgain(key, lane, only);
  const fate = mended(given.fate, isAgain);
  const { graph, definitions, files } = reference;
  const play = { store, random, fate, faults: new Map() };
  const rules = new ReferenceRun(graph, definitions, files, fate);
  const outcome = playAndCheck({ ...play, reference: rules }, again, -1, mayStop);
  const places = new Map(before.map((row) => [`${row.node_key}|${row.shard_index}`, row]));
  for (const { node_key, shard_index, status, reused_from_node_run_id } of store.nodeRuns(again)) {
    const place = `${node_key}|${shard_index}`;
    const then = places.get(place);
    const isKept = then?.status === 'success' || then?.status === 'failure';
    const source = isKept && !isAgain(node_key, shard_index) ? then.id : undefined;
    assert.equal(reused_from_node_run_id, source, `${place} is taken over`);
    if (source !== undefined) assert.equal(status, then?.status, place);
  }
  return outcome;
}

function playAndCheck(play: Play, id: number, cancelAt: number, isStopped: boolean): string {
  const { store, random } = play;
  let shown = 0;
  for (let step = 0; store.isUnderWay(id); step += 1) {
    assert.ok(step < 500, 'the run ends');
    const progress = store.progress(id);
    assert.ok(progress >= shown, `progress does not fall from ${shown} to ${progress}`);
    shown = progress;
    const isCancelled = step === cancelAt;
    if (!isCancelled) store.lease(id, 1 + below(random, 4));
    const held = store.held(id);
    // Several at once, so that one decision takes several reports.
    const some = held.filter(() => random() < 0.6).slice(0, 3);
    for (const attempt of held) if (random() < 0.3) store.tell(attempt, random());
    store.report(
      id,
      some.map((attempt) => reportOf(play, attempt)),
      below(random, 3),
      isCancelled ? (random() < 0.5 ? 'before' : 'after') : undefined,
    );
  }
  const frozen = store.progress(id);
  assert.ok(frozen >= shown, `progress does not fall from ${shown} to ${frozen} at the end`);
  store.check(id);
  return checkByRules(play, id, isStopped);
}

function reportOf(play: Play, attempt: ReturnType<MemoryStore['held']>[number]) {
  const { store, random, fate, faults } = play;
  const { row, node } = store.placeOf(attempt);
  const dice = random();
  const before = faults.get(row.id) ?? 0;
  if (dice < 0.3 && before < 2) {
    faults.set(row.id, before + 1);
    if (dice < 0.1) return { attempt, status: 'failure' as const, error_class: 'lost_worker' };
    if (dice < 0.17) return { attempt, status: 'cancelled' as const };
    if (dice < 0.24) {
      return { attempt, status: 'success' as const, outputs: [{ port: 'x', text: null }] };
    }
    // Only the first failure of the program may be retried.
    if (before === 0) {
      faults.set(row.id, 2);
      return { attempt, status: 'failure' as const, exit_code: 75 };
    }
  }
  const lane = row.shard_index;
  if (fate.fails(node.key, lane)) return { attempt, status: 'failure' as const, exit_code: 1 };
  const inputs = store.inputsOf(attempt);
  const outputs = outputsOf(node.definition as unknown as Definition, {
    ...{ key: node.key, lane, fate, inputs },
  });
  return { attempt, status: 'success' as const, outputs };
}

/** Compares all node runs; of a stopped run, those that finished normally. */
function checkByRules({ store, reference }: Play, id: number, isStopped: boolean): string {
  const rows = store.nodeRuns(id);
  for (const row of rows) {
    const wanted = reference.state(row.node_key, row.shard_index);
    const place = `${row.node_key}|${row.shard_index}`;
    const isDone = row.status === 'success' || row.status === 'failure';
    if (!isStopped || isDone) assert.deepEqual([place, row.status], [place, wanted.status]);
    if (!isStopped) assert.equal(row.skip_reason, wanted.skip_reason, place);
    const made = store.checksumsOf(row.id);
    assert.deepEqual(
      made,
      row.status === 'success' ? [...wanted.files.values()].flat() : [],
      place,
    );
    const isResult = reference.isLeaf(row.node_key) && made.length > 0;
    assert.equal(store.published.has(row.id), isResult, `${place} is published`);
  }
  if (!isStopped) {
    const all = reference.graph.nodes.flatMap(({ key }) =>
      reference.lanes(key).map((lane) => `${key}|${lane}`),
    );
    assert.deepEqual(rows.map((row) => `${row.node_key}|${row.shard_index}`).sort(), all.sort());
  }
  const has = (status: string, only = (_: string) => true) =>
    rows.some((row) => row.status === status && only(row.node_key));
  const outcome = has('cancelled')
    ? 'cancelled'
    : !has('failure')
      ? 'success'
      : has('success', (key) => reference.isLeaf(key))
        ? 'partial_success'
        : 'failure';
  assert.equal(store.statusOf(id), outcome);
  return outcome;
}
