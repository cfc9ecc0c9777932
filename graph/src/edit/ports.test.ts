import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definition, definitions, edge, graph, mapped, node } from '../examples.ts';
import type { Definitions, Graph } from '../types.ts';
import { validateGraph } from '../validate.ts';
import { portId, type Verdict, verdictOn, verdictsFrom, verdictsTo } from './ports.ts';

const codes = (one: Graph, known: Definitions = definitions) =>
  validateGraph(one, known).errors.map(({ code }) => code);

function refusal(verdict: Verdict) {
  if (verdict.ok) throw new Error('It is allowed.');
  return verdict;
}

/** 11 gives PNG, 12 takes PDF, 13 and 14 make PDF of PNG, 15 packs many files into one. */
const typed: Definitions = new Map(
  [
    definition(11, [], ['out'], { outputs: [png('out')] }),
    definition(12, [], [], {
      inputs: [{ name: 'in', cardinality: 'one', media_types: ['application/pdf'] }],
    }),
    converter(13, '1.0.0'),
    converter(14, '1.1.0'),
    definition(15, ['in*'], ['out'], { name: 'pack' }),
  ].map((it) => [it.id, it]),
);

function png(name: string) {
  return { name, cardinality: 'one' as const, media_type: 'image/png' };
}

function converter(id: number, version: string) {
  return definition(id, [], [], {
    name: 'png-to-pdf',
    version,
    inputs: [{ name: 'image', cardinality: 'one', media_types: ['image/*'] }],
    outputs: [{ name: 'pdf', cardinality: 'one', media_type: 'application/pdf' }],
  });
}

describe('the verdict on a wire', () => {
  it('allows what validation allows, and refuses what it refuses, with the same code', () => {
    const nodes = [1, 2, 3, 4, 5, 6, 7].flatMap((id) => [
      node(`once${id}`, id),
      mapped(`each${id}`, id),
    ]);
    const start = graph(nodes, [
      'files > each1.in',
      'once3.out > each4.in',
      'once1.out > once2.in',
    ]);
    const before = codes(start);
    const sources = [...nodes.map(({ key }) => ({ node: key, port: 'out' })), { input: 'files' }];
    for (const from of sources) {
      for (const [id, verdict] of verdictsFrom(start, definitions, from)) {
        const [toNode, port] = JSON.parse(id) as [string, string];
        const to = { node: toNode, port };
        // That the same wire is there says more than that there would be two.
        if (!verdict.ok && verdict.code === 'duplicate_edge') continue;
        const wired = { ...start, edges: [...start.edges, { from, to }] };
        const added = codes(wired).filter(
          (code) => count(codes(wired), code) > count(before, code),
        );
        const wanted = verdict.ok ? [] : [verdict.code];
        const isLane = ['nothing_to_map', 'lane_mismatch'];
        const told = added.filter((code) => !isLane.includes(code) || wanted.includes(code));
        assert.ok(
          verdict.ok ? told.length === 0 : told.includes(verdict.code),
          `${JSON.stringify(from)} to ${id}: ${wanted} instead of ${added}`,
        );
      }
    }
  });

  it('is the same from either end', () => {
    const start = graph([node('a', 1), mapped('b', 1), node('c', 3)], ['files > b.in']);
    for (const key of ['a', 'b', 'c']) {
      const from = { node: key, port: 'out' };
      const to = { node: 'a', port: 'in' };
      const forth = verdictsFrom(start, definitions, from).get(portId(to));
      assert.deepEqual(plain(verdictsTo(start, definitions, to).get(portId(from))), plain(forth));
      assert.deepEqual(plain(verdictOn(start, definitions, { from, to })), plain(forth));
    }
  });

  it('names the round that a wire would close', () => {
    const start = graph(
      [node('a', 1), node('b', 2), node('c', 2)],
      ['a.out > b.in', 'b.out > c.in'],
    );
    const { code, message } = refusal(verdictOn(start, definitions, edge('c.out > a.in')));
    assert.equal(code, 'cycle');
    assert.equal(message, 'These nodes wait for one another: a → b → c → a.');
    assert.equal(refusal(verdictOn(start, definitions, edge('a.out > a.in'))).code, 'cycle');
  });

  it('offers to replace the wire of a port that takes one', () => {
    const start = graph([node('a', 5), node('b', 5), node('c', 1)], ['a.out > c.in']);
    const { code, fixes } = refusal(verdictOn(start, definitions, edge('b.out > c.in')));
    assert.equal(code, 'multiple_edges_to_single_port');
    assert.deepEqual(
      fixes.map(({ words }) => words),
      ['Replace the wire from a'],
    );
    assert.deepEqual(fixes[0]?.apply(start).edges, [edge('b.out > c.in')]);
  });

  it('offers to run a node once for each file, with what takes its files one by one', () => {
    const start = graph(
      [node('a', 3, { title: 'Split' }), node('b', 1), node('c', 1)],
      ['files > a.in', 'b.out > c.in'],
    );
    const { code, fixes } = refusal(verdictOn(start, definitions, edge('a.out > b.in')));
    assert.equal(code, 'cardinality_mismatch');
    assert.equal(fixes[0]?.words, 'Run b and the node behind it once for each file');
    assert.deepEqual(codes(fixes[0].apply(start)), []);
  });

  it('offers what gathers the files of all lanes', () => {
    const known = new Map([...definitions, ...typed]);
    const start = graph([mapped('a', 1), node('b', 1)], ['files > a.in']);
    const { fixes } = refusal(verdictOn(start, known, edge('a.out > b.in')));
    const pack = fixes.find(({ words }) => words === 'Put pack between');
    assert.deepEqual(pack && codes(pack.apply(start), known), []);
  });

  it('offers what makes the wanted type of the given one, in its latest version', () => {
    const start = graph([
      node('a', 11, { position: { x: 0, y: 0 } }),
      node('b', 12, { position: { x: 100, y: 50 } }),
    ]);
    const { code, message, fixes } = refusal(verdictOn(start, typed, edge('a.out > b.in')));
    assert.equal(code, 'media_type_mismatch');
    assert.match(message, /brings image\/png, but "in" takes application\/pdf/);
    assert.deepEqual(
      fixes.map(({ words }) => words),
      ['Put png-to-pdf between'],
    );
    const fixed = fixes[0]?.apply(start) as Graph;
    assert.deepEqual(codes(fixed, typed), []);
    assert.equal(fixed.nodes[2]?.node_definition_id, 14);
    assert.deepEqual(fixed.nodes[2]?.position, { x: 50, y: 25 });
  });

  it('offers only what leaves no new fault of wires', () => {
    const nodes = [1, 2, 3, 4, 5, 6, 7].flatMap((id) => [
      node(`once${id}`, id),
      mapped(`each${id}`, id),
    ]);
    const start = graph(nodes, ['files > each1.in', 'once3.out > each4.in']);
    const before = new Set(validateGraph(start, definitions).errors.map(({ message }) => message));
    for (const { key } of nodes) {
      const from = { node: key, port: 'out' };
      for (const verdict of verdictsFrom(start, definitions, from).values()) {
        for (const { words, apply } of verdict.ok ? [] : verdict.fixes) {
          const { errors } = validateGraph(apply(start), definitions);
          const added = errors.filter(({ message }) => !before.has(message));
          assert.deepEqual(added, [], words);
        }
      }
    }
  });
});

const count = (all: readonly string[], one: string) => all.filter((code) => code === one).length;

const plain = (verdict: Verdict | undefined) =>
  verdict?.ok === false ? [verdict.code, verdict.message, verdict.fixes.length] : verdict;
