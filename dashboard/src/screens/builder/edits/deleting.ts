/** Deletes what is selected, as one step of undo. */
import { edgeId } from '@cogworks/graph/edit/changes';
import {
  disconnect,
  removeInput,
  removeNodes,
  removeNote,
  removeVariable,
} from '@cogworks/graph/edit/edits';
import type { Graph } from '@cogworks/graph/types';
import { plural, t } from '@lingui/core/macro';
import type { Editor } from '../editor.ts';
import { idIn } from '../selection.ts';
import { titleOf } from '../step-words.ts';
import { notesWords, stepsWords } from './counted.ts';

type Kind = Parameters<typeof idIn>[0];

const everyKind: readonly Kind[] = ['node', 'input', 'variable', 'note', 'edge'];

/**
 * Nodes with their wires, wires alone, inputs, variables and notes.
 *
 * @param kinds only these; the others stay.
 * @returns what was deleted, in words; undefined if it is nothing.
 */
export function deleteSelected(editor: Editor, kinds = everyKind): string | undefined {
  const { selection } = editor.getState();
  const of = (kind: Kind) =>
    kinds.includes(kind) ? [...selection].flatMap((id) => idIn(kind, id) ?? []) : [];
  const [nodes, inputs, variables, notes] = [of('node'), of('input'), of('variable'), of('note')];
  const edges = new Set(of('edge'));
  const { graph } = editor.getState();
  const things = thingsOf(graph, { nodes, inputs, variables, notes, wires: edges.size });
  const words = t`Deleted ${things}`;
  const before = graph;
  editor.edit(words, (graph) => {
    const wires = graph.edges.filter((edge) => edges.has(edgeId(edge)));
    const cut = wires.reduce((left, edge) => disconnect(left, edge), graph);
    const withoutNotes = notes.reduce((left, id) => removeNote(left, id), removeNodes(cut, nodes));
    const withoutInputs = inputs.reduce((left, name) => removeInput(left, name), withoutNotes);
    return variables.reduce((left, name) => removeVariable(left, name), withoutInputs);
  });
  editor.select([]);
  return editor.getState().graph === before ? undefined : words;
}

type Gone = {
  nodes: string[];
  inputs: string[];
  variables: string[];
  notes: string[];
  wires: number;
};

function thingsOf(graph: Graph, { nodes, inputs, variables, notes, wires }: Gone): string {
  const [only] = nodes;
  const parts = [
    nodes.length === 1 && only !== undefined ? titleOf(graph, only) : stepsWords(nodes.length),
    inputs.length > 0 && plural(inputs.length, { one: '# input', other: '# inputs' }),
    variables.length > 0 && plural(variables.length, { one: '# variable', other: '# variables' }),
    notesWords(notes.length),
    wires > 0 && plural(wires, { one: '# connection', other: '# connections' }),
  ];
  return parts.filter(Boolean).join(', ');
}
