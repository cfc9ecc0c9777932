import { definition, definitions, graph, mapped, node, params } from '@cogworks/graph/examples';
import { describe, expect, it } from 'vitest';
import { faultsOf } from './check.ts';
import { faultCounts, faultsAt, groupsOf, placeOf } from './places.ts';

const known = new Map([...definitions, [9, definition(9, ['in'], ['out'], { params })]]);
const placesIn = (given: Parameters<typeof placeOf>[1]) =>
  faultsOf(given, known).map((fault) => {
    const { id, field } = placeOf(fault, given);
    return `${fault.code} ${id} ${field}`.trim();
  });

describe('the place of a fault', () => {
  it('is the param, the condition, or the port of a node', () => {
    const given = graph(
      [
        node('a', 9, { params: { width: 0, nested: { 'a/b': 1 } }, when: 'vars.' }),
        node('b', 1, { title: 'Second' }),
      ],
      ['files > a.in'],
    );
    const places = placesIn(given);
    expect(places).toContain('bad_param node:a /params/width');
    expect(places).toContain('bad_param node:a /params/nested/a~1b');
    expect(places).toContain('bad_when node:a /when');
    expect(places).toContain('missing_required_input node:b /ports/in');
  });

  it('is the port that an edge leads to, or the edge if it leads nowhere', () => {
    const given = graph([mapped('a', 1)], ['files > a.in', 'files > gone.in', 'nowhere > a.in']);
    const places = placesIn(given);
    expect(places).toContain('unknown_node edge:["files","gone","in"]');
    expect(places).toContain('unknown_input node:a /ports/in');
  });

  it('is an input, a variable, or the whole', () => {
    const given = graph([], [], {
      inputs: [{ name: 'bad name' }],
      variables: [{ variable_name: 'width', type: 'integer', default: 'x' }],
    });
    const places = placesIn(given);
    expect(places).toContain('no_nodes undefined');
    expect(places).toContain('bad_key input:bad name /name');
    expect(places).toContain('bad_variable variable:width /default');
  });

  it('is the whole if it is of all nodes, also once there is one', () => {
    const [fault] = faultsOf(graph([], []), known).filter(({ code }) => code === 'no_nodes');
    expect(fault && placeOf(fault, graph([node('a', 1)], []))).toEqual({
      id: undefined,
      field: '',
    });
  });

  it('counts for a step, an input or a variable only what keeps the workflow from running', () => {
    const given = graph(
      [node('a', 1, { title: 'Unused result' }), node('b', 1, { when: 'vars.' }), node('aside', 5)],
      ['files > a.in', 'files > b.in'],
      {
        inputs: [{ name: 'files' }, { name: 'unused' }],
        variables: [
          { variable_name: 'width', type: 'integer', default: 'x' },
          { variable_name: 'idle', type: 'integer' },
        ],
      },
    );
    const faults = faultsOf(given, known);
    expect(faults.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['unused_variable', 'unused_input']),
    );
    expect([...faultCounts(faults, given)].toSorted()).toEqual([
      ['node:b', 1],
      ['variable:width', 1],
    ]);
  });

  it('groups the faults by what they are about, with its title', () => {
    const given = graph([node('b', 1, { title: 'Second', when: 'x' }), node('c', 1)]);
    const groups = groupsOf(faultsOf(given, known), given);
    expect(groups.map(({ title, faults }) => `${title} ${faults.length}`)).toEqual([
      'Second 2',
      'c 1',
      'Input files 1',
    ]);
    expect([...faultsAt(faultsOf(given, known), given, 'node:b').keys()]).toEqual([
      '/ports/in',
      '/when',
    ]);
  });
});
