/** Kernel decisions that random runs (random-runs.test.ts) do not reach or do not check. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeDefinition } from '../../resources/node_definitions/schema.ts';
import { type HeldAttempt, judge, type Report } from '../attempts/judge.ts';
import type { NodeRunRow, RunRow } from '../records.ts';
import { advance } from './advance.ts';
import type { Asking, Question } from './asking.ts';
import { begin, beginningState } from './begin.ts';
import { lease } from './lease.ts';
import { planGraph } from './plan.ts';
import { newState, type RunState } from './state.ts';
import { cancel } from './stop.ts';

const now = '2026-01-01T00:00:00.000Z';
const failure: Report = { lease_token: 't', status: 'failure', exit_code: 1, outputs: [] };
/** An exit code that allows a retry. */
const again: Report = { ...failure, exit_code: 75 };

describe('a stop', () => {
  it('ends a try that failed a moment before and would have been made again', () => {
    const { state, attempts } = running({ files: 3, on_failure: 'abort' }, 2);

    decide(state, judge(state, attempts[0], again));
    decide(state, judge(state, attempts[1], failure));
    decide(state, advance(state));

    assert.deepEqual(state.changes.ready, []);
    assert.deepEqual(written(state), [
      [0, 'skipped', 'run_aborted'],
      [1, 'failure', undefined],
    ]);
    const { failure: failed, skipped_upstream, begun, running: still } = state.counts[0] ?? {};
    assert.deepEqual([failed, skipped_upstream, begun, still], [1, 2, 3, 0]);
    assert.equal(state.run.status, 'failure');
  });

  for (const report of [again, { ...failure, error_class: 'lost_worker' }] as const) {
    it(`ends a try that fails a moment after it (${report.error_class ?? 'program'})`, () => {
      const { state, attempts } = running({ files: 2 }, 2);

      cancel(state, undefined);
      decide(state, judge(state, attempts[0], report));
      decide(state, succeed(state, attempts[1], 1));
      decide(state, advance(state));

      assert.deepEqual(state.changes.ready, [], 'nothing of a stopped run is queued');
      assert.deepEqual(written(state), [
        [0, 'cancelled', undefined],
        [1, 'success', undefined],
      ]);
      assert.equal(state.run.status, 'cancelled');
    });
  }

  it('leaves no row of what the same decision made ready, and counts none as begun', () => {
    // Its condition cannot be evaluated, which shows only when the files of the other node are
    // ready.
    const state = started({ files: 2, on_failure: 'abort', unanswered: true });

    assert.equal(state.run.status, 'failure');
    assert.deepEqual(state.changes.ready, []);
    assert.deepEqual(written(state), []);
    const { begun, skipped_upstream } = state.counts[0] ?? {};
    assert.deepEqual([begun, skipped_upstream], [0, 2]);
    assert.equal(state.counts[1]?.failure, 2);
  });
});

describe('the next try of a node run', () => {
  const after = (report: Report, uploads: HeldAttempt['uploads'] = []) => {
    const { state, attempts } = running({ files: 2 }, 1);
    decide(state, judge(state, { ...attempts[0], uploads }, report));
    decide(state, advance(state));
    return state.changes;
  };
  const oom = { ...failure, error_class: 'oom', exit_code: 75 };

  it('has more memory where that ran out', () => {
    const [next] = after(oom).ready;

    assert.deepEqual([next?.row.memory_mb, next?.needs.memory_mb], [96, 96]);
    assert.equal(after(again).ready[0]?.row.memory_mb, undefined, 'and not for another reason');
  });

  it("waits, unless it is the platform's affair, which counts apart", () => {
    const told = (report: Report) =>
      after(report).ready.map(({ row, delay_ms }) => [row.system_faults, delay_ms > 0]);

    assert.deepEqual(told(again), [[0, true]]);
    assert.deepEqual(told({ ...failure, error_class: 'image_pull' }), [[1, true]]);
    assert.deepEqual(told({ ...failure, error_class: 'lost_worker' }), [[1, false]]);
    assert.deepEqual(told({ ...failure, status: 'cancelled' }), [[1, false]]);
  });

  it('leaves what was uploaded to be collected, and says nothing of what went wrong', () => {
    const { unused, ready } = after({ ...again, error_message: 'no' }, [
      { object_id: 7, state: 'pending' },
      { object_id: 8, state: 'dead' },
    ]);

    assert.deepEqual(unused, [7]);
    const { status, error_message, exit_code, worker_id } = ready[0]?.row ?? {};
    assert.deepEqual(
      [status, error_message, exit_code, worker_id],
      ['queued', undefined, undefined, undefined],
    );
  });
});

describe('progress that a container has told', () => {
  const told = (fraction: number, shown: number) => {
    const { state, attempts } = running({ files: 2 }, 1, shown);
    const [attempt] = attempts;
    const asked = decide(state, judge(state, { ...attempt, fraction } as HeldAttempt, again), {
      fractions: new Map([[0, fraction]]),
    });
    return { asked, progress: state.run.progress_percentage };
  };

  it('is kept when its try fails, and begins anew', () => {
    assert.equal(told(0.5, 0).progress, 25);
  });

  it('is not taken for less than was shown before', () => {
    assert.equal(told(0.5, 40).progress, 40);
  });

  it('is not asked for where there was none', () => {
    assert.deepEqual(told(0, 0), { asked: [], progress: 0 });
    assert.deepEqual(told(0.5, 0).asked, ['fractions']);
  });
});

describe('a fan-out', () => {
  const ended = (how: (state: RunState, attempt: HeldAttempt) => Asking<void>) => {
    const { state, attempts } = running({ files: 1, fansOut: true }, 1);
    decide(state, how(state, attempts[0]));
    decide(state, advance(state));
    return state;
  };
  const into = (count: number) => ended((state, attempt) => succeed(state, attempt, count));

  it('of files has a lane for each', () => {
    const { counts, firstIds, changes, run } = into(2);

    assert.deepEqual([counts[1]?.expected, counts[1]?.begun], [2, 2]);
    assert.deepEqual(
      changes.ready.map(({ row }) => [row.node_key, row.shard_index, row.id]),
      [
        ['part', 0, firstIds[1]],
        ['part', 1, (firstIds[1] ?? 0) + 1],
      ],
    );
    assert.equal(run.status, 'running');
  });

  it('of no file has no lane, and what gathers them goes on with none', () => {
    const { counts, firstIds, changes } = into(0);

    assert.deepEqual([counts[1]?.expected, counts[1]?.begun, firstIds[1]], [0, 0, 0]);
    assert.deepEqual(
      changes.ready.map(({ row }) => row.node_key),
      ['collect'],
    );
  });

  it('that failed has one lane of no file, which tells why it was left out', () => {
    const state = ended((one, attempt) => judge(one, attempt, failure));

    assert.deepEqual(
      [...state.changes.rows]
        .filter(({ node_key }) => node_key === 'part')
        .map((row) => [row.id, row.shard_index, row.status, row.skip_reason]),
      [[state.firstIds[1], undefined, 'skipped', 'upstream_failed']],
    );
    assert.equal(state.counts[1]?.expected, 1);
    assert.equal(state.run.status, 'failure');
  });
});

type Given = {
  files: number;
  on_failure?: 'abort' | 'continue';
  /** A second node over the files has a condition that cannot be evaluated. */
  unanswered?: boolean;
  /** A node splits its file into parts, and the parts are gathered again. */
  fansOut?: boolean;
};

const definition = (id: number, input: string, output: string) =>
  ({
    ...{ id, name: 'n', version: '1', image: 'i', command: [], params: {}, network: 'none' },
    inputs: [{ name: 'a', cardinality: input }],
    outputs: [{ name: 'x', glob: '*', cardinality: output }],
    resources: { cpu: 1, memory_mb: 64, gpu: 0, disk_mb: 64 },
    retry: { max_attempts: 2, on: ['exit:75'] },
  }) as unknown as NodeDefinition;
const definitions = new Map(
  [definition(1, 'one', 'one'), definition(2, 'one', 'many'), definition(3, 'many', 'one')].map(
    (one) => [one.id, one],
  ),
);

function graphOf({ unanswered = false, fansOut = false }: Given) {
  const to = (node: string) => ({ node, port: 'a' });
  const from = (node: string) => ({ node, port: 'x' });
  const file = { input: 'files' };
  const unknown = { key: 'other', node_definition_id: 1, map: true, when: 'vars.missing == 1' };
  const nodes = fansOut
    ? [
        { key: 'split', node_definition_id: 2 },
        { key: 'part', node_definition_id: 1, map: true },
        { key: 'collect', node_definition_id: 3 },
      ]
    : [{ key: 'each', node_definition_id: 1, map: true }, ...(unanswered ? [unknown] : [])];
  const edges = fansOut
    ? [
        { from: file, to: to('split') },
        { from: from('split'), to: to('part') },
        { from: from('part'), to: to('collect') },
      ]
    : nodes.map(({ key }) => ({ from: file, to: to(key) }));
  return { nodes, edges, inputs: [{ name: 'files' }], variables: [] };
}

/** A run that has begun. */
function started(given: Given): RunState {
  const run = {
    ...{ id: 1, tenant_id: 1, status: 'queued', progress_percentage: 0, extra_variables: {} },
    on_failure: given.on_failure ?? 'continue',
  } as unknown as RunRow;
  const plan = planGraph(graphOf(given), definitions);
  const state = beginningState(run, plan, new Map([['files', given.files]]), now);
  decide(state, begin(state));
  return state;
}

/** A run with `count` attempts under way, as a later decision loads it. */
function running(given: Given, count: number, progress_percentage = 0) {
  const before = started(given);
  const attempts = before.changes.ready
    .slice(0, count)
    .map(({ row }, at) =>
      lease(before, row, { attempt_id: at + 1, lease_token: 't', worker_id: 1 }),
    );
  const state = newState({ ...before.run, progress_percentage }, before.plan, now, {
    counts: before.counts,
    firstIds: before.firstIds,
    loaded: 'all',
  });
  for (const [id, row] of before.rows) state.rows.set(id, row);
  const held = attempts.map((attempt) => ({
    ...{ ...attempt, status: 'running', fraction: 0, run_id: 1, tenant_id: 1 },
    ...{ uploads: [], lost_workers: [], evictions: 0 },
  }));
  return { state, attempts: held as unknown as [HeldAttempt, HeldAttempt] };
}

/** Reports a success with `count` uploaded files. */
function succeed(state: RunState, attempt: HeldAttempt, count: number): Asking<void> {
  const outputs = Array.from({ length: count }, (_, at) => ({
    ...{ port: 'x', name: `x${at}`, object_id: at, size_bytes: 1, checksum_sha256: 'a' },
  }));
  const uploads = outputs.map((output) => ({ ...output, state: 'pending' }));
  return judge(state, { ...attempt, uploads }, { ...failure, status: 'success', outputs });
}

/**
 * Answers questions with these values, or with nothing. @returns the questions, without requests
 * for ids.
 */
function decide(
  state: RunState,
  asking: Asking<void>,
  answers: { fractions?: Map<number, number> } = {},
): Question['of'][] {
  const asked: Question['of'][] = [];
  for (const question of { [Symbol.iterator]: () => asking }) {
    if (question.of === 'ids') state.firstReserved = 1 + Math.max(0, ...state.firstIds) * 100;
    else asked.push(question.of);
    if (question.of === 'failures') state.failures = new Map();
    if (question.of === 'fractions') state.fractions = answers.fractions ?? new Map();
  }
  return asked;
}

/** The rows this decision has written for the node over the files, by lane. */
const written = ({ changes }: RunState) =>
  [...changes.rows]
    .filter(({ node_key }) => node_key === 'each')
    .toSorted((a, b) => laneOf(a) - laneOf(b))
    .map((row) => [row.shard_index, row.status, row.skip_reason]);

const laneOf = ({ shard_index = 0 }: NodeRunRow) => shard_index;
