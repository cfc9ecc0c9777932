/** Notes beside the nodes of a graph: what validation says of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noteLimits } from './checks/notes.ts';
import { brief, definitions, edge, graph, node } from './examples.ts';
import type { GraphNote } from './types.ts';
import { validateGraph } from './validate.ts';

const note = (id: string, rest: Partial<GraphNote> = {}): GraphNote => ({
  id,
  text: '**Why** it is so',
  position: { x: -10.5, y: 0 },
  size: { width: 200, height: 1 },
  ...rest,
});

function check(...notes: GraphNote[]) {
  const nodes = [node('a', 1), node('b', 1)];
  const edges = [edge('files > a.in'), edge('a.out > b.in')];
  const { valid, errors, warnings } = validateGraph(graph(nodes, edges, { notes }), definitions);
  return { valid, errors: errors.map(brief), warnings: warnings.map(brief) };
}

const fine = { valid: true, errors: [], warnings: [] };

describe('a note', () => {
  it('is fine where it is about nothing, or about nodes', () => {
    assert.deepEqual(check(note('1'), note('2', { text: '', node_keys: ['a', 'b'] })), fine);
  });

  it('about a node that is not there is a warning, and keeps nothing from running', () => {
    assert.deepEqual(check(note('1'), note('2', { node_keys: ['a', 'gone', '__proto__'] })), {
      valid: true,
      errors: [],
      warnings: [
        'note_of_unknown_node gone  /notes/1/node_keys/1',
        'note_of_unknown_node __proto__  /notes/1/node_keys/2',
      ],
    });
  });

  it('with the id of another one is a warning', () => {
    assert.deepEqual(check(note('1'), note('1'), note('2')).warnings, [
      'duplicate_note   /notes/1/id',
    ]);
  });

  it('may be as long and large as it may be, and no longer or larger', () => {
    const { text, id, node_keys, size } = noteLimits;
    const most = note('🙂'.repeat(id), {
      text: '🙂'.repeat(text),
      node_keys: Array.from({ length: node_keys }, () => 'a'),
      size: { width: size, height: size },
    });
    assert.deepEqual(check(most), fine);
    const more = note(`${most.id}x`, {
      text: `${most.text}x`,
      node_keys: [...(most.node_keys ?? []), 'a'],
      size: { width: size + 1, height: 0.5 },
    });
    assert.deepEqual(check(most, more, note('')).errors, [
      'bad_note   /notes/1/id',
      'bad_note   /notes/1/text',
      'bad_note   /notes/1/size/width',
      'bad_note   /notes/1/size/height',
      'bad_note   /notes/1/node_keys',
      'bad_note   /notes/2/id',
    ]);
  });

  it('is one of at most 200', () => {
    const notes = Array.from({ length: 201 }, (_, at) => note(`${at}`));
    assert.deepEqual(check(...notes.slice(1)), fine);
    assert.deepEqual(check(...notes).errors, ['too_many_notes   /notes']);
  });
});
