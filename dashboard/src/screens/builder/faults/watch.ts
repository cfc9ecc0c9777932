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
  editor: Pick<Editor, 'getState' | 'subscribe' | 'setFaults'>,
  open: (onAnswer: (answer: Answer) => void) => Asker,
): () => void {
  let latest = 0;
  let isBusy = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let seen: { graph?: unknown; definitions?: unknown } = {};
  let known: Definitions | undefined;

  const worker = open(({ id, faults }) => {
    isBusy = false;
    if (id === latest) editor.setFaults(faults);
    else ask();
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
