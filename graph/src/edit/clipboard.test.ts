import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { graphs } from '../../test/any-graph.ts';
import { definition, edge, graph, node, params, width } from '../examples.ts';
import type { Graph } from '../types.ts';
import { validateGraph } from '../validate.ts';
import { type Additions, copyText, noDefinition, readPasted, withPasted } from './clipboard.ts';

const definitions = new Map([
  [1, definition(1, ['in'], ['out'], { name: 'resize', params })],
  [2, definition(2, ['in*'], ['out'], { name: 'pack' })],
]);

/** Five nodes, a wire from elsewhere, and a variable in use. */
const source = graph(
  [
    node('a', 1, {
      title: 'Resize',
      position: { x: 0, y: 0 },
      params: { width: '{{vars.width}}' },
    }),
    ...['b', 'c', 'd'].map((key, at) => node(key, 1, { position: { x: 100 * at, y: 50 } })),
    node('e', 2),
  ],
  [
    'files > a.in',
    'a.out > b.in',
    'b.out > c.in',
    edge('c.out > e.in', { min_success_ratio: 0.5 }),
  ],
  { variables: [width, { variable_name: 'unused', type: 'string' }] },
);
const all = new Set(['a', 'b', 'c', 'd', 'e']);
const empty = graph([], [], { inputs: [] });

function paste(text: string, into: Graph = empty, known = definitions) {
  const pasted = readPasted(text, into, known);
  if ('refused' in pasted) throw new Error(pasted.refused);
  return { ...pasted, result: withPasted(into, pasted.additions) };
}

const refusalOf = (text: string) => {
  const pasted = readPasted(text, empty, definitions);
  return 'refused' in pasted ? pasted.refused : undefined;
};

describe('copied nodes', () => {
  it('are pasted into another workflow with their inner wires and the variables they use', () => {
    const { result, remarks } = paste(copyText(source, definitions, all));
    assert.deepEqual(
      result.nodes.map(({ key }) => key),
      ['a', 'b', 'c', 'd', 'e'],
    );
    assert.deepEqual(result.edges, source.edges.slice(1));
    assert.deepEqual(result.variables, [width]);
    assert.deepEqual(remarks, ['Not connected: files to a.', 'Added the variables width.']);
  });

  it('get new keys where theirs are taken, and stand beside the originals', () => {
    const { result, additions } = paste(copyText(source, definitions, new Set(['a', 'b'])), source);
    assert.deepEqual(
      additions.nodes.map(({ key }) => key),
      ['a_2', 'b_2'],
    );
    assert.deepEqual(additions.edges, [edge('a_2.out > b_2.in')]);
    assert.deepEqual(additions.nodes[0]?.position, { x: 32, y: 32 });
    assert.equal(
      validateGraph(result, definitions).errors.some(({ code }) => code === 'duplicate_key'),
      false,
    );
  });

  it('keep their places to one another wherever they go', () => {
    const text = copyText(source, definitions, new Set(['a', 'c']));
    const pasted = readPasted(text, empty, definitions, { x: 500, y: 10 }) as {
      additions: Additions;
    };
    assert.deepEqual(
      pasted.additions.nodes.map(({ position }) => position),
      [
        { x: 500, y: 10 },
        { x: 600, y: 60 },
      ],
    );
  });

  it('use the definition of their name, whatever its id is, or the newest of it', () => {
    const text = copyText(source, definitions, new Set(['a']));
    const elsewhere = new Map([
      [1, definition(1, [], [], { name: 'other' })],
      [70, definition(70, ['in'], ['out'], { name: 'resize' })],
    ]);
    assert.equal(paste(text, empty, elsewhere).additions.nodes[0]?.node_definition_id, 70);

    const newer = new Map([[80, definition(80, [], [], { name: 'resize', version: '2.0.0' })]]);
    const { additions, remarks } = paste(text, empty, newer);
    assert.equal(additions.nodes[0]?.node_definition_id, 80);
    assert.ok(remarks.includes('Resize uses resize 2.0.0, as there is no 1.0.0 here.'));
  });

  it('become a fault that says so where nothing here has that name', () => {
    const text = copyText(source, definitions, new Set(['a']));
    const { result, remarks } = paste(text, empty, new Map());
    assert.equal(result.nodes[0]?.node_definition_id, noDefinition);
    assert.ok(remarks.includes('There is no resize@1.0.0 here, which Resize runs.'));
    const [fault] = validateGraph(result, new Map()).errors;
    assert.equal(fault?.code, 'unknown_definition');
  });

  it('hold secrets by their names alone', () => {
    const named = graph([node('a', 1, { params: { token: { $secret: 'TOKEN' } } })]);
    const typed = graph([node('a', 1, { params: { token: 'hunter2', width: 1 } })]);
    assert.match(copyText(named, definitions, all), /\{"\$secret":"TOKEN"\}/);
    assert.doesNotMatch(copyText(typed, definitions, all), /hunter2/);
  });
});

describe('pasted text', () => {
  it('is refused with the reason if it is no part of a workflow', () => {
    assert.match(refusalOf('hello') ?? '', /no nodes/);
    assert.match(refusalOf('{"cogworks":1}') ?? '', /no nodes/);
    assert.match(refusalOf('{"cogworks":2,"nodes":[]}') ?? '', /later version/);
    assert.match(refusalOf(`{"cogworks":1,"nodes":"${'x'.repeat(5_000_000)}"}`) ?? '', /too long/);
    assert.match(
      refusalOf(`{"cogworks":1,"nodes":${'['.repeat(5000)}${']'.repeat(5000)}}`) ?? '',
      /deeply/,
    );
  });

  it('is refused if the workflow would have too many nodes', () => {
    const nodes = Array.from({ length: 1999 }, (_, at) => node(`n${at}`, 1));
    const pasted = readPasted(copyText(source, definitions, all), graph(nodes), definitions);
    assert.ok('refused' in pasted && /at most 2000 nodes/.test(pasted.refused));
  });

  it('loses fields that graphs do not have, and names that reach into objects', () => {
    const text = `{"cogworks":1,"nodes":[{"key":"__proto__","node_definition_id":1,"evil":1,
      "params":{"__proto__":{"polluted":true},"width":2}}],"__proto__":{"polluted":true},
      "definitions":{"1":"resize@1.0.0"}}`;
    const { result } = paste(text);
    assert.deepEqual(result.nodes, [{ key: 'proto', node_definition_id: 1, params: { width: 2 } }]);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  it('of any kind never breaks a graph', () => {
    const anything = fc.oneof(
      graphs.map((one) => ({ ...one, definitions: { 0: 'resize@1.0.0' } })),
      fc.record({ nodes: fc.jsonValue(), edges: fc.jsonValue(), notes: fc.jsonValue() }),
      fc.record({ nodes: fc.array(fc.jsonValue()), variables: fc.array(fc.jsonValue()) }),
    );
    fc.assert(
      fc.property(anything, (value) => {
        const pasted = readPasted(JSON.stringify({ cogworks: 1, ...value }), source, definitions);
        if ('refused' in pasted) return;
        const result = withPasted(source, pasted.additions);
        const keys = result.nodes.map(({ key }) => key);
        assert.equal(new Set(keys).size, keys.length);
        assert.deepEqual(result.nodes.slice(0, 5), source.nodes);
        validateGraph(result, definitions);
      }),
      { seed: 20261123, numRuns: 500 },
    );
  });
});
