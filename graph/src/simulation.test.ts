/**
 * Random graphs, run by a minimal engine. Graphs that validation accepts must run: every run ends,
 * every port gets as many files as it declares, and outcome and progress match a recount.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definition, edge, graph, node } from './examples.ts';
import { type Domain, type EdgeRole, edgeRoles, inputLimits, laneDomains } from './lanes.ts';
import { leafKeys, topologicalOrder } from './order.ts';
import { seeded } from './random.ts';
import type { NodeRunStatus, SkipReason } from './statuses.ts';
import {
  countOf,
  type NodeCounts,
  nextStep,
  openLanes,
  type ParentState,
  progressOf,
  runOutcome,
} from './steps.ts';
import type { Cardinality, Graph, GraphEdge, OutputPort } from './types.ts';
import { validateGraph } from './validate.ts';

const shapes: [inputs: string[], outputs: string[]][] = [
  [['a'], ['x']],
  [['a*'], ['x']],
  [['a'], ['x*']],
  [['a?'], ['x']],
  [
    ['a', 'b?'],
    ['x', 'y*'],
  ],
  [['a*', 'b?'], ['x*']],
  [['a', 'b*'], ['x']],
  [['a', 'b'], ['x']],
];
const definitions = new Map(shapes.map(([ins, outs], at) => [at, definition(at, ins, outs)]));

type Random = () => number;
const below = (random: Random, limit: number) => Math.floor(random() * limit);

function randomGraph(random: Random): Graph {
  const nodes = Array.from({ length: 1 + below(random, 7) }, (_, at) =>
    node(`n${at}`, below(random, shapes.length), {
      map: random() < 0.5,
      on_error: random() < 0.5 ? 'continue' : 'fail',
    }),
  );
  const edges = nodes.flatMap(({ key, node_definition_id }, at) =>
    (definitions.get(node_definition_id)?.inputs ?? []).flatMap((port): GraphEdge[] => {
      if (random() < (port.cardinality === 'optional' ? 0.5 : 0.05)) return [];
      const before = nodes[below(random, at + 1)];
      const output = definitions
        .get(before?.node_definition_id ?? -1)
        ?.outputs.at(below(random, 2) - 1);
      const source = before?.key === key || !output ? 'files' : `${before?.key}.${output.name}`;
      const ratio = random() < 0.5 ? { min_success_ratio: random() < 0.5 ? 0.5 : 1 } : {};
      return [edge(`${source} > ${key}.${port.name}`, ratio)];
    }),
  );
  return graph(nodes, edges);
}

type NodeRun = {
  status: NodeRunStatus;
  skip_reason: SkipReason | null;
  files: Map<string, number>;
};
type Fate = { fail: number; skip: number };

class Simulation {
  readonly runs = new Map<string, NodeRun[] | null>();
  readonly roles: EdgeRole[];
  readonly domains: Map<string, Domain | null>;
  readonly fileCount: number;
  readonly graph: Graph;
  readonly random: Random;
  readonly fate: Fate;

  constructor(it: Graph, random: Random, fate: Fate) {
    this.graph = it;
    this.random = random;
    this.fate = fate;
    this.roles = edgeRoles(it, definitions);
    this.domains = laneDomains(it, definitions);
    const { min = 0, max = 4 } = inputLimits(it, definitions).get('files') ?? {};
    this.fileCount = min + below(random, Math.min(max, 4) - min + 1);
    for (const { key } of it.nodes) {
      const domain = this.domains.get(key);
      if (!domain) this.runs.set(key, this.newRuns(1));
      else this.runs.set(key, domain.kind === 'input' ? this.newRuns(this.fileCount) : null);
    }
  }

  newRuns(count: number, skip: SkipReason | null = null): NodeRun[] {
    const status = skip ? 'skipped' : 'pending';
    return Array.from({ length: count }, () => ({ status, skip_reason: skip, files: new Map() }));
  }

  counts(key: string, runs = this.runs.get(key) ?? null): NodeCounts {
    const counts = {
      success: 0,
      failure: 0,
      cancelled: 0,
      skipped_by_condition: 0,
      skipped_upstream: 0,
    };
    for (const { status, skip_reason } of runs ?? []) {
      const count = countOf(status, skip_reason);
      if (count) counts[count]++;
    }
    return { expected: runs?.length ?? null, ...counts };
  }

  /** One sweep over the node runs in random order; false if nothing was left to do. */
  sweep(): boolean {
    let moved = false;
    const keys = this.graph.nodes.map(({ key }) => key).sort(() => this.random() - 0.5);
    for (const key of keys) {
      if (this.runs.get(key) === null) moved = this.open(key) || moved;
      this.runs.get(key)?.forEach((run, lane) => {
        if (run.status === 'pending' && this.random() < 0.7)
          moved = this.step(key, run, lane) || moved;
        else if (run.status === 'pending') moved = true;
      });
    }
    return moved;
  }

  open(key: string): boolean {
    const domain = this.domains.get(key);
    assert.ok(domain?.kind === 'output');
    const files = this.runs.get(domain.node)?.[0]?.files.get(domain.port) ?? 0;
    const opened = openLanes(this.counts(domain.node), files);
    if (opened) this.runs.set(key, this.newRuns(opened.lanes, opened.skip));
    return true;
  }

  step(key: string, run: NodeRun, lane: number): boolean {
    const step = nextStep(this.parents(key, lane), { aborted: false });
    if (step === 'wait') return true;
    if (step !== 'ready') Object.assign(run, { status: 'skipped', skip_reason: step.skip });
    else this.execute(key, run, lane);
    return true;
  }

  execute(key: string, run: NodeRun, lane: number) {
    for (const [it, role] of this.edgesInto(key)) if (role === 'gather') this.checkGather(it);
    for (const port of this.definitionOf(key).inputs)
      this.checkPort(key, port.name, port.cardinality, lane);
    const dice = this.random();
    if (dice < this.fate.fail) run.status = 'failure';
    else if (dice < this.fate.fail + this.fate.skip) {
      Object.assign(run, { status: 'skipped', skip_reason: 'condition_false' });
    } else {
      run.status = 'success';
      for (const output of this.definitionOf(key).outputs)
        run.files.set(output.name, this.make(output));
    }
  }

  make({ cardinality }: OutputPort): number {
    return cardinality === 'many' ? below(this.random, 4) : 1;
  }

  checkPort(key: string, port: string, cardinality: Cardinality, lane: number) {
    const edges = this.edgesInto(key).filter(([edge]) => edge.to.port === port);
    const files = edges.reduce((sum, [edge, role]) => sum + this.filesAlong(edge, role, lane), 0);
    if (cardinality === 'one') assert.equal(files, 1, `${key}.${port} takes one file`);
    if (cardinality === 'optional') assert.ok(files <= 1, `${key}.${port} takes one file at most`);
  }

  /** A gather gets the share its edge requires; by default all, or one of a tolerant node. */
  checkGather({ from, min_success_ratio }: GraphEdge) {
    if (!('node' in from)) return;
    const { success, failure, skipped_upstream } = this.counts(from.node);
    const meant = success + failure + skipped_upstream;
    const tolerant = this.graph.nodes.find((it) => it.key === from.node)?.on_error === 'continue';
    if (min_success_ratio !== undefined) assert.ok(success >= min_success_ratio * meant);
    else if (!tolerant) assert.equal(success, meant);
    else assert.ok(success > 0 || meant === 0);
  }

  filesAlong({ from }: GraphEdge, role: EdgeRole, lane: number): number {
    if (role === 'lane_source') return 1;
    if (!('node' in from)) return this.fileCount;
    const runs = this.runs.get(from.node) ?? [];
    const made = (role === 'same_lane' ? [runs[lane]] : runs).map(
      (run) => run?.files.get(from.port) ?? 0,
    );
    return made.reduce((sum, files) => sum + files, 0);
  }

  parents(key: string, lane: number): ParentState[] {
    return this.edgesInto(key).flatMap(([{ from, to, min_success_ratio }, role]): ParentState[] => {
      if (!('node' in from)) return [];
      const runs = this.runs.get(from.node);
      const source = this.graph.nodes.find((it) => it.key === from.node);
      const port = this.definitionOf(key).inputs.find(({ name }) => name === to.port);
      if (role === 'same_lane' && runs) assert.equal(runs.length, this.runs.get(key)?.length);
      const seen = role === 'same_lane' && runs ? runs.slice(lane, lane + 1) : runs;
      return [
        {
          port: port?.cardinality ?? 'one',
          gather: role === 'gather',
          ...(min_success_ratio === undefined ? {} : { min_success_ratio }),
          source_on_error: source?.on_error ?? 'fail',
          counts: this.counts(from.node, seen ?? null),
        },
      ];
    });
  }

  edgesInto(key: string): [GraphEdge, EdgeRole][] {
    const edges = this.graph.edges.map((it, at): [GraphEdge, EdgeRole] => [
      it,
      this.roles[at] ?? 'plain',
    ]);
    return edges.filter(([{ to }]) => to.node === key);
  }

  definitionOf(key: string) {
    const found = this.graph.nodes.find((it) => it.key === key);
    const definition = definitions.get(found?.node_definition_id ?? -1);
    assert.ok(definition);
    return definition;
  }
}

function runToTheEnd(it: Graph, random: Random, fate: Fate) {
  const simulation = new Simulation(it, random, fate);
  const leaves = new Set(leafKeys(it));
  const states = () =>
    topologicalOrder(it).map((key) => ({
      key,
      leaf: leaves.has(key),
      counts: simulation.counts(key),
      running: 0,
    }));

  let shown = 0;
  for (let sweeps = 0; simulation.sweep(); sweeps++) {
    assert.ok(sweeps < 500, `the run ends: ${JSON.stringify(it)}`);
    const { progress_percentage } = progressOf(states(), null, shown);
    assert.ok(progress_percentage >= shown && progress_percentage < 100);
    shown = progress_percentage;
  }
  const outcome = runOutcome({ nodes: states() }, false);
  return { simulation, outcome, progress: progressOf(states(), outcome, shown), states: states() };
}

describe('a random graph that is sound', () => {
  it('runs to an end, with as many files at every port as it declares', () => {
    const random = seeded(2024);
    const outcomes = new Map<string, number>();
    let sound = 0;
    for (let round = 0; round < 12_000; round++) {
      const it_ = randomGraph(random);
      if (!validateGraph(it_, definitions).valid) continue;
      sound++;

      const fate = { fail: random() < 0.3 ? 0 : 0.2, skip: random() < 0.5 ? 0 : 0.2 };
      const { outcome, progress, states } = runToTheEnd(it_, random, fate);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);

      const failures = states.reduce((sum, { counts }) => sum + counts.failure, 0);
      const results = states.some(({ leaf, counts }) => leaf && counts.success > 0);
      assert.equal(outcome, failures === 0 ? 'success' : results ? 'partial_success' : 'failure');
      assert.equal(progress.progress_percentage === 100, outcome !== 'failure');
      if (outcome === 'success') assert.equal(progress.completed_nodes, it_.nodes.length);
      if (fate.fail + fate.skip === 0) {
        assert.ok(states.every(({ counts }) => counts.success === counts.expected));
      }
    }
    assert.ok(sound > 300, `${sound} sound graphs`);
    assert.ok(outcomes.size === 3, JSON.stringify([...outcomes]));
  });
});
