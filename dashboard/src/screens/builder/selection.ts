/** What can be selected of a graph, by its id: nodes, inputs, notes, variables and edges. */
import type { Graph } from '@cogworks/graph/types';
import type { EditorState } from './editor.ts';

export const nodeId = (key: string) => `node:${key}`;
export const inputId = (name: string) => `input:${name}`;
export const noteId = (id: string) => `note:${id}`;
export const variableId = (name: string) => `variable:${name}`;
/** Of the kind that an id begins with; else undefined. */
export const idIn = (kind: 'node' | 'input' | 'note' | 'variable' | 'edge', id: string) =>
  id.startsWith(`${kind}:`) ? id.slice(kind.length + 1) : undefined;

/** The keys of the nodes among what is selected. */
export const selectedKeys = ({ selection }: Pick<EditorState, 'selection'>): string[] =>
  [...selection].flatMap((id) => idIn('node', id) ?? []);

/** What "select everything" selects. */
export const everythingIn = ({ nodes, inputs, notes = [] }: Graph): string[] => [
  ...nodes.map(({ key }) => nodeId(key)),
  ...inputs.map(({ name }) => inputId(name)),
  ...notes.map(({ id }) => noteId(id)),
];
