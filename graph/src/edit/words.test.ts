import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { graphs } from '../../test/any-graph.ts';
import { definition, edge, graph, node, width } from '../examples.ts';
import type { Graph } from '../types.ts';
import { changesBetween } from './changes.ts';
import { isDrawing, tellChanges, wordsOf } from './words.ts';

const definitions = new Map([
  [
    1,
    definition(1, ['in'], ['out'], {
      params: {
        type: 'object',
        properties: { width: { title: 'Width' }, token: { 'x-secret': true } },
      },
    }),
  ],
]);

const told = (before: Graph, after: Graph) =>
  wordsOf(changesBetween(before, after), { before, after, definitions });

const resize = (rest = {}) => node('resize', 1, { title: 'Resize', ...rest });

describe('changes in words', () => {
  it('name the param by its title, and both values', () => {
    const [before, after] = [800, 640].map((value) =>
      graph([resize({ params: { width: value } })]),
    );
    assert.deepEqual(told(before as Graph, after as Graph), ['Width of Resize 800 → 640']);
  });

  it('count what was only moved', () => {
    const place = (x: number) =>
      graph(['a', 'b', 'c'].map((key) => node(key, 1, { position: { x, y: 0 } })));
    assert.deepEqual(told(place(0), place(10)), ['Moved 3 nodes']);
    assert.ok(changesBetween(place(0), place(10)).every(isDrawing));
  });

  it('tell of nodes and wires, but not of the wires of a node that is removed', () => {
    const one = graph([resize()], ['files > resize.in']);
    const two = graph([resize(), node('pack', 1)], ['files > resize.in', 'resize.out > pack.in']);
    assert.deepEqual(told(one, two), ['Added pack', 'Connected Resize to pack']);
    assert.deepEqual(told(two, one), ['Removed pack']);
    assert.deepEqual(told(one, { ...one, edges: [] }), ['Removed the wire from files to Resize']);
  });

  it('name definitions with their versions, which of shipped ones are checksums', () => {
    const known = [
      { ...definition(1, [], []), name: 'crop', version: '2', scope: 'tenant' as const },
      { ...definition(2, [], []), name: 'trim', version: '1-e40e', scope: 'platform' as const },
      { ...definition(3, [], []), name: 'trim', version: '1-90ab', scope: 'platform' as const },
    ];
    const uses = (from: number, to: number) => {
      const [before, after] = [from, to].map((id) => graph([node('a', id)])) as [Graph, Graph];
      const all = new Map(known.map((one) => [one.id, one]));
      return wordsOf(changesBetween(before, after), { before, after, definitions: all });
    };
    assert.deepEqual(uses(1, 2), ['a uses trim instead of crop 2']);
    assert.deepEqual(uses(2, 3), ['a uses another version of trim']);
  });

  it('say what settings mean', () => {
    const before = graph([resize()], ['files > resize.in'], { variables: [width] });
    const after = graph(
      [resize({ map: true, when: 'vars.width > 3', on_error: 'continue', params: { width: 1 } })],
      [edge('files > resize.in', { min_success_ratio: 0.95 })],
      {
        variables: [{ ...width, default: 640 }],
        inputs: [{ name: 'files', media_types: ['a/b'] }],
      },
    );
    assert.deepEqual(told(before, after), [
      'files takes a/b',
      'Default of width 800 → 640',
      'Resize runs once for each file',
      'Resize runs if “vars.width > 3”',
      'If Resize fails, the run goes on',
      'Width of Resize set to 1',
      'The wire from files to Resize waits for 95 % of the files',
    ]);
  });

  it('show of a secret only its name', () => {
    const before = graph([resize()]);
    const after = graph([resize({ params: { token: { $secret: 'API_TOKEN' } } })]);
    assert.deepEqual(told(before, after), ['token of Resize set to the secret API_TOKEN']);
  });

  it('are short, whatever the graphs are', () => {
    fc.assert(
      fc.property(graphs, graphs, (before, after) => {
        const changes = changesBetween(before, after);
        for (const { words } of tellChanges(changes, { before, after, definitions })) {
          assert.ok(words.length > 0 && words.length < 400);
        }
      }),
      { seed: 20261123 },
    );
  });
});
