import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definitions, edge, graph, mapped, node } from './examples.ts';
import { edgeRoles, inputLimits, laneDomains, resolveLanes } from './lanes.ts';

const ofFiles = { kind: 'input', input: 'files' };
const ofSplit = { kind: 'output', node: 'split', port: 'out' };

describe('the lanes of a graph', () => {
  it('follow the files of an input through mapped nodes and end where they are gathered', () => {
    const nodes = [mapped('a', 1), mapped('b', 1), node('zip', 2)];
    const it_ = graph(nodes, ['files > a.in', 'a.out > b.in', 'b.out > zip.in']);
    assert.deepEqual(
      [...laneDomains(it_, definitions)],
      [
        ['a', ofFiles],
        ['b', ofFiles],
        ['zip', null],
      ],
    );
    assert.deepEqual(edgeRoles(it_, definitions), ['lane_source', 'same_lane', 'gather']);
  });

  it('follow the files a node will make', () => {
    const nodes = [mapped('a', 1), node('split', 3), node('zip', 2)];
    const it_ = graph(nodes, ['split.out > a.in', 'files > split.in', 'a.out > zip.in']);
    assert.deepEqual(laneDomains(it_, definitions).get('a'), ofSplit);
    assert.deepEqual(edgeRoles(it_, definitions), ['lane_source', 'plain', 'gather']);
  });

  it('get one file of a node all alike', () => {
    const it_ = graph([mapped('a', 6), node('once', 5)], ['once.out > a.right', 'files > a.left']);
    assert.deepEqual(laneDomains(it_, definitions).get('a'), ofFiles);
    assert.deepEqual(edgeRoles(it_, definitions), ['broadcast', 'lane_source']);
  });

  it('get all files of an input or a node at a port for many', () => {
    const nodes = [mapped('a', 1), mapped('b', 2), node('split', 3)];
    const edges = [
      'files > a.in',
      'a.out > b.in',
      'files > b.in',
      'split.out > b.in',
      'files > split.in',
    ];
    const it_ = graph(nodes, edges);
    assert.deepEqual(laneDomains(it_, definitions).get('b'), ofFiles);
    const roles = ['lane_source', 'same_lane', 'broadcast', 'broadcast', 'plain'];
    assert.deepEqual(edgeRoles(it_, definitions), roles);
  });

  it('may have one source at two ports', () => {
    const { problems } = resolveLanes(
      graph([mapped('a', 6)], ['files > a.left', 'files > a.right']),
      definitions,
    );
    assert.deepEqual(problems, []);
  });

  it('do not join others: of two inputs, or two outputs of a node', () => {
    const inputs = [{ name: 'x' }, { name: 'y' }];
    const nodes = [mapped('a', 1), mapped('b', 1), mapped('c', 6)];
    const edges = ['x > a.in', 'y > b.in', 'a.out > c.left', 'b.out > c.right'];
    const { problems } = resolveLanes(graph(nodes, edges, { inputs }), definitions);
    assert.deepEqual(
      problems.map(({ code, node_key }) => [code, node_key]),
      [['lane_mismatch', 'c']],
    );
  });

  it('are missing once, not again for every node behind', () => {
    const nodes = [mapped('a', 2), mapped('b', 1), mapped('c', 1)];
    const { problems } = resolveLanes(
      graph(nodes, ['files > a.in', 'a.out > b.in', 'b.out > c.in']),
      definitions,
    );
    assert.deepEqual(
      problems.map(({ code, node_key }) => [code, node_key]),
      [['nothing_to_map', 'a']],
    );
  });

  it('are not missed where another fault explains it', () => {
    const nodes = [mapped('a', 99), mapped('b', 1), mapped('c', 1), mapped('d', 1)];
    const edges = ['files > a.in', 'nowhere > b.in', 'c.out > d.in', 'd.out > c.in'];
    assert.deepEqual(resolveLanes(graph(nodes, edges), definitions).problems, []);
  });
});

describe('the number of files an input can take', () => {
  const any = { min: 0, max: Number.POSITIVE_INFINITY };
  const cases: [title: string, graph: Parameters<typeof inputLimits>[0], limit: object][] = [
    [
      'is one for the single port of a node that runs once',
      graph([node('a', 1)], ['files > a.in']),
      { min: 1, max: 1 },
    ],
    [
      'is at most one for an optional port',
      graph([node('a', 4)], ['files > a.in']),
      { min: 0, max: 1 },
    ],
    ['is any for a port for many', graph([node('a', 2)], ['files > a.in']), any],
    ['is any for lanes', graph([mapped('a', 1)], ['files > a.in']), any],
    [
      'is the narrowest where it leads to several',
      graph([mapped('a', 1), node('b', 1)], [edge('files > a.in'), edge('files > b.in')]),
      { min: 1, max: 1 },
    ],
  ];
  for (const [title, it_, limit] of cases) {
    it(title, () => assert.deepEqual(inputLimits(it_, definitions).get('files'), limit));
  }
});
