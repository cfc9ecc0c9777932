import { definitions, edge, graph, node } from '@cogworks/graph/examples';
import { describe, expect, it } from 'vitest';
import { nodesTaking, nodesUsing } from './uses.ts';
import { withType } from './variable-form.ts';

describe('the type of a variable', () => {
  const width = { variable_name: 'width', type: 'integer', default: 8, minimum: 1 } as const;

  it('can be changed, which keeps a value that fits', () => {
    expect(withType(width, 'string')).toEqual({
      variable_name: 'width',
      type: 'string',
      default: '8',
    });
    expect(withType({ ...width, default: 'x' }, 'number')).toEqual({
      variable_name: 'width',
      type: 'number',
    });
    expect(withType(width, 'enum')).toMatchObject({ enum: ['8'], default: '8' });
  });
});

describe('the uses', () => {
  it('of a variable are in params, conditions and commands', () => {
    const given = graph([
      node('a', 1, { params: { deep: ['{{vars.width}}'] } }),
      node('b', 1, { when: 'vars.width > 2' }),
      node('c', 1, { params: { text: 'width' } }),
    ]);
    expect(nodesUsing(given, definitions, 'width')).toEqual(['a', 'b']);
  });

  it('of an input are the nodes that take its files', () => {
    const given = graph([node('a', 1), node('b', 6)], ['files > b.left', edge('files > b.right')]);
    expect(nodesTaking(given, 'files')).toEqual(['b']);
  });
});
