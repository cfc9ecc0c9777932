/**
 * Notes beside the nodes of a graph. Since they do nothing, what they say of the graph is never an
 * error; only a note that cannot be saved is one.
 */
import type { Fault, Graph, GraphNote } from '../types.ts';

/** What the service stores. All notes together stay far below the size of a graph. */
export const noteLimits = {
  notes: 200,
  /** Characters, as Unicode counts them. */
  text: 5000,
  id: 100,
  node_keys: 500,
  /** Width and height; the smallest is 1. */
  size: 100_000,
};

/** Notes that the service would refuse. */
export function noteFaults({ notes = [] }: Graph): Fault[] {
  if (notes.length > noteLimits.notes) return [tooManyNotes(notes.length)];
  return notes.flatMap((note, position) =>
    problemsOf(note).map(
      ([field, problem]): Fault => ({
        code: 'bad_note',
        message: `The note "${shortened(note.id)}" ${problem}.`,
        pointer: `/notes/${position}/${field}`,
      }),
    ),
  );
}

function problemsOf({ id, text, size, node_keys = [] }: GraphNote): [string, string][] {
  const most = noteLimits;
  const problems: [string, boolean, string][] = [
    ['id', id === '' || isLonger(id, most.id), `needs an id of 1 to ${most.id} characters`],
    ['text', isLonger(text, most.text), `is longer than ${most.text} characters`],
    ['size/width', !isLength(size.width), `is not between 1 and ${most.size} wide`],
    ['size/height', !isLength(size.height), `is not between 1 and ${most.size} high`],
    ['node_keys', node_keys.length > most.node_keys, `is about more than ${most.node_keys} nodes`],
  ];
  return problems.flatMap(([field, isWrong, words]) => (isWrong ? [[field, words]] : []));
}

/** Ids that two notes share, and nodes that are not there, as after one was deleted. */
export function noteWarnings({ notes = [], nodes }: Graph): Fault[] {
  const keys = new Set(nodes.map(({ key }) => key));
  const ids = new Set<string>();
  return notes.flatMap(({ id, node_keys = [] }, position): Fault[] => {
    const isDouble = ids.has(id);
    ids.add(id);
    const unknown = node_keys.flatMap((key, at) => (keys.has(key) ? [] : [{ key, at }]));
    return [
      ...(isDouble ? [duplicate(id, position)] : []),
      ...unknown.map(
        ({ key, at }): Fault => ({
          code: 'note_of_unknown_node',
          message: `The note "${shortened(id)}" is about "${key}", and there is no such node.`,
          node_key: key,
          pointer: `/notes/${position}/node_keys/${at}`,
        }),
      ),
    ];
  });
}

const tooManyNotes = (count: number): Fault => ({
  code: 'too_many_notes',
  message: `The graph has ${count} notes; at most ${noteLimits.notes} are allowed.`,
  pointer: '/notes',
});

const duplicate = (id: string, position: number): Fault => ({
  code: 'duplicate_note',
  message: `Two notes have the id "${shortened(id)}".`,
  pointer: `/notes/${position}/id`,
});

const isLength = (length: number) => length >= 1 && length <= noteLimits.size;

/** Counted in code points, as JSON Schema does. */
const isLonger = (text: string, most: number) => text.length > most && [...text].length > most;

const shortened = (id: string) => (id.length <= 40 ? id : `${id.slice(0, 40)}…`);
