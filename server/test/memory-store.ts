/**
 * An in-memory replacement of the database for the kernel: loads, answers questions, and writes.
 */
import assert from 'node:assert/strict';
import { progressOf } from '@cogworks/graph/steps';
import { wantedFiles } from '../src/engine/attempts/inputs.ts';
import { type HeldAttempt, judge, lostReport, type Report } from '../src/engine/attempts/judge.ts';
import { advance } from '../src/engine/kernel/advance.ts';
import type { Asking, IdRange, Question } from '../src/engine/kernel/asking.ts';
import { begin, beginningState } from '../src/engine/kernel/begin.ts';
import type { NewOutput } from '../src/engine/kernel/changes.ts';
import { lease } from '../src/engine/kernel/lease.ts';
import type { Plan, PlannedNode } from '../src/engine/kernel/plan.ts';
import {
  type Counters,
  type Earlier,
  endedOf,
  isUnderWay,
  newState,
  pendingRow,
  type RunState,
} from '../src/engine/kernel/state.ts';
import { cancel } from '../src/engine/kernel/stop.ts';
import type { AttemptRow, NodeRunRow, RunRow } from '../src/engine/records.ts';
import { recount } from './recount.ts';
import { hash } from './reference-run.ts';

type File = { name: string; checksum_sha256: string };
type Stored = { run: RunRow; counts: Counters[]; firstIds: number[] };

/** A report; an output without text was never uploaded. */
type Told = {
  attempt: AttemptRow;
  status: Report['status'];
  exit_code?: number;
  error_class?: string;
  outputs?: { port: string; text: string | null }[];
};

const now = '2026-01-01T00:00:00.000Z';

export class MemoryStore {
  readonly published = new Set<number>();
  readonly plan: Plan;
  readonly files: readonly File[];
  readonly #runs = new Map<number, Stored>();
  readonly #rows = new Map<number, NodeRunRow>();
  readonly #attempts = new Map<number, AttemptRow>();
  readonly #outputs = new Map<number, NewOutput[]>();
  readonly #queue = new Set<number>();
  #ids = 0;

  constructor(plan: Plan, files: readonly File[]) {
    this.plan = plan;
    this.files = files;
  }

  start(given: Partial<RunRow>, earlier?: Earlier): number {
    this.#ids += 1;
    const run = {
      ...{ id: this.#ids, tenant_id: 1, status: 'queued', priority: 'normal' },
      ...{ progress_percentage: 0, ...given },
    } as RunRow;
    const lanes = new Map([['files', this.files.length]]);
    const state = beginningState(run, this.plan, lanes, now);
    state.earlier = earlier;
    this.#answer(state, begin(state));
    this.#write(state);
    return run.id;
  }

  isUnderWay = (id: number) => isUnderWay(this.stored(id).run.status);
  statusOf = (id: number) => this.stored(id).run.status;

  progress(id: number): number {
    const { run, counts } = this.stored(id);
    const fractions = this.#fractions(id);
    const outcome = isUnderWay(run.status) ? null : (run.status as 'success');
    const nodes = this.plan.nodes.map(({ key, position }) => ({
      ...{ key, counts: counts[position] as Counters, running: 0 },
      reported: fractions.get(position) ?? 0,
    }));
    return progressOf(nodes, outcome, run.progress_percentage).progress_percentage;
  }

  /** Leases up to `most` queued node runs. */
  lease(id: number, most: number): void {
    const ids = [...this.#queue].slice(0, most);
    const rows = ids.map((one) => this.#rows.get(one) as NodeRunRow);
    const state = this.#load(id, rows);
    for (const { id: one } of rows) this.#hand(state, state.rows.get(one) as NodeRunRow);
    this.#write(state);
  }

  held = (id: number): AttemptRow[] =>
    [...this.#attempts.values()].filter((one) => one.run_id === id && one.status === 'leased');

  /** Sets the progress reported by the container. */
  tell(attempt: AttemptRow, fraction: number): void {
    attempt.fraction = Math.max(attempt.fraction, fraction);
  }

  placeOf({ node_run_id }: AttemptRow): { row: NodeRunRow; node: PlannedNode } {
    const row = this.#rows.get(node_run_id) as NodeRunRow;
    return { row, node: this.plan.byKey.get(row.node_key) as PlannedNode };
  }

  inputsOf(attempt: AttemptRow): { port: string; checksum_sha256: string }[] {
    const { row, node } = this.placeOf(attempt);
    const { counts, firstIds } = this.stored(row.run_id);
    const wanted = wantedFiles({ plan: this.plan, counts, firstIds }, node, row.shard_index);
    return wanted.flatMap(({ port, ...files }) => {
      if (files.from === 'input') {
        const chosen = files.lane === undefined ? this.files : [this.files[files.lane] as File];
        return chosen.map(({ checksum_sha256 }) => ({ port, checksum_sha256 }));
      }
      const { ids, output, place } = files;
      const all = Array.from({ length: ids.count }, (_, at) => ids.first + at).flatMap((one) =>
        (this.#outputs.get(one) ?? []).filter((file) => file.port === output),
      );
      const chosen = place === undefined ? all : all.filter((file) => file.position === place);
      return chosen.map(({ checksum_sha256 }) => ({ port, checksum_sha256 }));
    });
  }

  /**
   * Takes reports in one decision, optionally with a cancel before or after; and leases up to
   * `most` of the node runs that become ready.
   */
  report(
    id: number,
    told: readonly Told[],
    most: number,
    cancelled: 'before' | 'after' | undefined,
  ): void {
    if (told.length === 0 && !cancelled) return;
    const state = this.#load(
      id,
      told.map(({ attempt }) => this.#rows.get(attempt.node_run_id) as NodeRunRow),
    );
    if (cancelled === 'before') cancel(state, undefined);
    for (const { attempt, outputs = [], ...ended } of told) {
      const files = outputs.map(({ port, text }, at) => ({
        ...{ port, name: `${port}${at}`, object_id: at, size_bytes: 1 },
        checksum_sha256: hash(text ?? ''),
      }));
      const uploads = files
        .filter((_, at) => outputs[at]?.text !== null)
        .map((file) => ({ ...file, state: 'pending' }));
      const report: Report =
        ended.error_class === 'lost_worker'
          ? lostReport(attempt)
          : { error_class: 'exit_nonzero', ...ended, lease_token: 't', outputs: files };
      this.#answer(state, judge(state, { ...this.#withPast(attempt), uploads }, report));
    }
    if (cancelled === 'after') cancel(state, undefined);
    this.#answer(state, advance(state));
    for (const { row } of state.changes.ready.slice(0, most)) this.#hand(state, row);
    this.#write(state);
  }

  nodeRuns(id: number): NodeRunRow[] {
    const { run, counts, firstIds } = this.stored(id);
    const state = newState(run, this.plan, now, { counts, firstIds, loaded: 'all' });
    return this.plan.nodes.flatMap((node) =>
      Array.from({ length: counts[node.position]?.expected ?? 0 }, (_, lane): NodeRunRow => {
        const row = pendingRow(state, node, lane);
        const begun = this.#rows.get(row.id);
        if (begun || run.waiting_ended_as === undefined) return begun ?? row;
        return run.waiting_ended_as === 'cancelled'
          ? { ...row, status: 'cancelled' }
          : { ...row, status: 'skipped', skip_reason: 'run_aborted' };
      }),
    );
  }

  checksumsOf = (nodeRunId: number): string[] =>
    (this.#outputs.get(nodeRunId) ?? []).map(({ checksum_sha256 }) => checksum_sha256);

  /** Checks that nothing is left over, and that every counter matches a recount. */
  check(id: number): void {
    assert.equal(this.#queue.size, 0, 'nothing is queued');
    assert.deepEqual(this.held(id), [], 'nothing is held of a run that has ended');
    const { run, counts } = this.stored(id);
    const isAnew = run.restart_mode === 'all';
    assert.ok(!isAnew || counts.every(({ reused }) => reused === 0), 'all of it ran');
    const all = Map.groupBy(this.nodeRuns(id), (row) => row.node_key);
    for (const { key, position } of this.plan.nodes) {
      const rows = all.get(key) ?? [];
      const begun = rows.filter((row) => this.#rows.has(row.id)).length;
      assert.deepEqual(counts[position], { ...recount(rows), begun }, key);
      assert.equal(endedOf(counts[position] as Counters), rows.length);
    }
  }

  #hand(state: RunState, row: NodeRunRow): void {
    assert.equal(row.status, 'queued');
    assert.equal(state.run.waiting_ended_as, undefined, 'nothing of a stopped run waits');
    this.#ids += 1;
    const worker = { attempt_id: this.#ids, lease_token: 't', worker_id: this.#ids % 2 };
    lease(state, row, worker);
  }

  stored(id: number): Stored {
    const stored = this.#runs.get(id);
    assert.ok(stored, `there is a run ${id}`);
    return stored;
  }

  /** As the database would return it: copies, and only node runs in the lanes of these. */
  #load(id: number, about: readonly NodeRunRow[]): RunState {
    const { run, counts, firstIds } = this.stored(id);
    const lanes = new Set(about.flatMap(({ shard_index }) => shard_index ?? []));
    const state = newState({ ...run }, this.plan, now, {
      counts: counts.map((counters) => ({ ...counters })),
      firstIds: [...firstIds],
      loaded: lanes,
    });
    const places = firstIds.flatMap((first, position) =>
      first === 0 || !this.plan.nodes[position]?.domain
        ? []
        : [...lanes].map((lane) => first + lane),
    );
    for (const one of [...places, ...about.map((row) => row.id)]) {
      const row = this.#rows.get(one);
      if (row?.run_id === id) state.rows.set(one, { ...row });
    }
    return state;
  }

  #answer(state: RunState, asking: Asking<void>): void {
    for (let step = asking.next(); !step.done; step = asking.next()) this.#tell(state, step.value);
  }

  #tell(state: RunState, question: Question): void {
    const { run } = state;
    switch (question.of) {
      case 'ids':
        state.firstReserved = this.#ids + 1;
        this.#ids += question.count;
        return;
      case 'rows':
        for (const row of this.#within(question.ids)) state.rows.set(row.id, row);
        return;
      case 'earlier':
        state.earlier = {
          ...this.stored(run.restarted_from_run_id as number),
          rows: new Map(),
        };
        return;
      case 'earlier rows':
        for (const row of this.#within(question.ids)) state.earlier?.rows.set(row.id, row);
        return;
      case 'outputs':
        for (const id of question.ids) {
          const ports = Map.groupBy(this.#outputs.get(id) ?? [], ({ port }) => port);
          const counts = [...ports].map(([port, of]): [string, number] => [port, of.length]);
          state.outputCounts.set(id, new Map(counts));
        }
        return;
      case 'input files':
        this.#tellFiles(state, question, this.files);
        return;
      case 'output files': {
        const all = this.#outputs.get(question.node_run_id) ?? [];
        this.#tellFiles(
          state,
          question,
          all.filter(({ port }) => port === question.port),
        );
        return;
      }
      case 'failures': {
        const failed = [...this.#rows.values()].filter(
          (row) => row.run_id === run.id && row.status === 'failure',
        );
        state.failures = new Map(failed.map((row) => [row.node_key, row]));
        return;
      }
      case 'fractions':
        state.fractions = this.#fractions(run.id);
        return;
    }
  }

  #tellFiles(
    state: RunState,
    { name, lanes }: { name: string; lanes: number[] | undefined },
    files: readonly { name: string }[],
  ) {
    const known = state.laneFiles.get(name);
    for (const lane of lanes ?? [...files.keys()]) {
      const file = files[lane];
      if (file) known?.set(lane, { name: file.name, media_type: 'text/plain', size_bytes: 1 });
    }
  }

  #within(ranges: readonly IdRange[]): NodeRunRow[] {
    return ranges.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, at) => this.#rows.get(first + at)).flatMap(
        (row) => (row ? [{ ...row }] : []),
      ),
    );
  }

  #fractions(id: number): Map<number, number> {
    const sums = new Map<number, number>();
    for (const attempt of this.held(id)) {
      const { position } = this.placeOf(attempt).node;
      sums.set(position, (sums.get(position) ?? 0) + attempt.fraction);
    }
    return sums;
  }

  #withPast(attempt: AttemptRow): HeldAttempt {
    const past = [...this.#attempts.values()].filter(
      (one) => one.node_run_id === attempt.node_run_id && one.number < attempt.number,
    );
    return {
      ...attempt,
      uploads: [],
      lost_workers: past.filter(({ status }) => status === 'lost').map((one) => one.worker_id),
      evictions: past.filter((one) => 'evicted' in one).length,
    };
  }

  #write({ run, counts, firstIds, changes }: RunState): void {
    this.#runs.set(run.id, { run, counts, firstIds });
    if (changes.stopped) this.#stop(run);
    for (const row of changes.rows) {
      const before = this.#rows.get(row.id)?.status;
      const isOver = before !== undefined && !['queued', 'running'].includes(before);
      assert.ok(!isOver || before === row.status, `${row.node_key} was ${before} and stays so`);
      this.#rows.set(row.id, row);
    }
    for (const id of changes.unqueued) assert.ok(this.#queue.delete(id), 'it was queued');
    for (const { row } of changes.ready) this.#queue.add(row.id);
    for (const { id, source } of changes.copies) {
      this.#outputs.set(id, this.#outputs.get(source) ?? []);
    }
    for (const output of changes.outputs) {
      const all = this.#outputs.get(output.node_run_id) ?? [];
      this.#outputs.set(output.node_run_id, [...all, output]);
    }
    for (const ended of changes.ended) {
      const attempt = this.#attempts.get(ended.id) as AttemptRow;
      assert.equal(attempt.status, 'leased');
      Object.assign(attempt, ended.error_class === 'evicted' && { evicted: true });
      attempt.status = ended.status;
    }
    for (const attempt of changes.started) {
      const held = { ...attempt, run_id: run.id, fraction: 0, status: 'leased' };
      this.#attempts.set(attempt.id, held as unknown as AttemptRow);
    }
    for (const id of changes.published) {
      if (this.checksumsOf(id).length > 0) this.published.add(id);
    }
  }

  #stop({ id, waiting_ended_as }: RunRow) {
    for (const row of this.#rows.values()) {
      if (row.run_id !== id || row.status !== 'queued') continue;
      this.#queue.delete(row.id);
      Object.assign(
        row,
        waiting_ended_as === 'cancelled'
          ? { status: 'cancelled' }
          : { status: 'skipped', skip_reason: 'run_aborted' },
      );
    }
    for (const attempt of this.held(id)) attempt.cancel_requested_at ??= now;
  }
}
