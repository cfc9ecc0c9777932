/**
 * Keeps the faults of an editor's graph up to date: asks a worker a moment after the last change,
 * one question at a time, and takes only the answer to the latest.
 */
import type { Definitions, Fault } from '@cogworks/graph/types';
import type { Editor } from '../editor.ts';
import type { Question } from './validation-worker.ts';

export type Asker = {
  ask: (question: Question) => void;
  end: () => void;
};
type Answer = { id: number; faults: Fault[] };

/** After the last change; so long nobody waits for the marks of a fault. */
export const rest_ms = 150;

/** @returns what ends it. */
export function watchFaults(
  editor: Pick<Editor, 'getState' | 'subscribe' | 'setFaults' | 'setUnchecked'>,
  open: (onAnswer: (answer: Answer) => void, onFailure: () => void) => Asker,
): () => void {
  let latest = 0;
  let isBusy = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let seen: { graph?: unknown; definitions?: unknown } = {};
  let known: Definitions | undefined;

  const onAnswer = ({ id, faults }: Answer) => {
    isBusy = false;
    if (id === latest) editor.setFaults(faults);
    else ask();
  };
  const worker = open(onAnswer, () => {
    isBusy = false;
    known = undefined;
    editor.setUnchecked();
  });
  const ask = () => {
    if (isBusy) return;
    const { graph, definitions } = editor.getState();
    isBusy = true;
    worker.ask({ id: latest, graph, ...(definitions !== known && { definitions }) });
    known = definitions;
  };
  const look = (wait_ms: number) => {
    const { graph, definitions } = editor.getState();
    // Without the catalogue every node would be one of an unknown definition.
    if (definitions.size === 0 && graph.nodes.length > 0) return;
    if (graph === seen.graph && definitions === seen.definitions) return;
    seen = { graph, definitions };
    latest += 1;
    clearTimeout(timer);
    timer = setTimeout(ask, wait_ms);
  };

  const unsubscribe = editor.subscribe(() => look(rest_ms));
  look(0);
  return () => {
    unsubscribe();
    clearTimeout(timer);
    worker.end();
  };
}
