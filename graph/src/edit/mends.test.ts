import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definition, definitions, edge, graph, mapped, node, params, width } from '../examples.ts';
import type { Graph } from '../types.ts';
import { validateGraph } from '../validate.ts';
import { mendsFor } from './mends.ts';

const known = new Map([
  ...definitions,
  [8, definition(8, ['in?'], ['out'], { params })],
  [
    9,
    definition(9, [], [], { inputs: [{ name: 'in', cardinality: 'one', media_types: ['a/b'] }] }),
  ],
  [
    10,
    definition(10, [], [], { outputs: [{ name: 'out', cardinality: 'one', media_type: 'c/d' }] }),
  ],
]);

const broken: Record<string, Graph> = {
  'a name with a typo': graph(
    [node('a', 8, { params: { width: '{{vars.widht}}' } })],
    ['files > a.in'],
    {
      variables: [width],
    },
  ),
  'a variable of a condition': graph(
    [node('a', 8, { when: 'vars.quality > 3' })],
    ['files > a.in'],
  ),
  'no wire': graph([node('a', 1)]),
  'once per file of nothing': graph(
    [mapped('a', 2), node('b', 2)],
    ['b.out > a.in', 'files > b.in'],
  ),
  'a param that does not fit': graph(
    [node('a', 8, { params: { label: 'far too long' } })],
    ['files > a.in'],
  ),
  'a condition that cannot be read': graph([node('a', 4, { when: '((' })], ['files > a.in']),
  'many files for one': graph([node('a', 3), node('b', 1)], ['files > a.in', 'a.out > b.in']),
  'another type': graph([node('a', 10), node('b', 9)], ['a.out > b.in']),
  'two wires to one port': graph(
    [node('a', 5), node('b', 5), node('c', 1)],
    ['a.out > c.in', 'b.out > c.in'],
  ),
  'a wire twice': graph([node('a', 2)], ['files > a.in', 'files > a.in']),
  'an input that is not there': graph([node('a', 2)], ['other > a.in']),
  'a port that is not there': graph([node('a', 4)], ['files > a.in', 'files > a.other']),
  'a round': graph([node('a', 2), node('b', 2)], ['a.out > b.in', 'b.out > a.in', 'files > a.in']),
  'two nodes of one key': graph([node('a', 4), node('a', 4)], ['files > a.in']),
  'a ratio of two': graph([node('a', 2)], [edge('files > a.in', { min_success_ratio: 2 })]),
  'a default that does not fit': graph([node('a', 4)], ['files > a.in'], {
    variables: [{ variable_name: 'count', type: 'integer', default: 'many' }],
  }),
};

describe('what mends a fault', () => {
  for (const [name, start] of Object.entries(broken)) {
    it(`is offered for ${name}, and each offer mends it`, () => {
      const [fault] = validateGraph(start, known).errors;
      assert.ok(fault);
      const mends = mendsFor(fault, start, known);
      assert.notEqual(mends.length, 0, `nothing for ${fault.code}: ${fault.message}`);
      for (const { words, apply } of mends) {
        const left = validateGraph(apply(start), known).errors;
        assert.ok(!left.some(({ message }) => message === fault.message), `${words} did not help`);
      }
    });
  }

  it('names what was probably meant first, then a new one', () => {
    const start = broken['a name with a typo'] as Graph;
    const [fault] = validateGraph(start, known).errors;
    assert.deepEqual(fault && mendsFor(fault, start, known).map(({ words }) => words), [
      'Use width instead of widht',
      'Declare the variable widht',
    ]);
  });

  it('is offered for what is not used', () => {
    const start = graph([node('a', 5)], [], { variables: [width] });
    for (const fault of validateGraph(start, known).warnings) {
      const [mend] = mendsFor(fault, start, known);
      const left = mend && validateGraph(mend.apply(start), known).warnings;
      assert.ok(!left?.some(({ message }) => message === fault.message), fault.code);
    }
  });
});
