/**
 * What is edited in the builder: one graph, what is selected of it, and what can be undone. A store
 * outside React, so that a component draws again only when what it picks has changed. The states of
 * runs, the viewport and open panels have no part in it.
 */
import {
  applyChanges,
  type Change,
  changesBetween,
  inverse,
  stillFitting,
} from '@cogworks/graph/edit/changes';
import { type Between, wordsOf } from '@cogworks/graph/edit/words';
import type { Definitions, Fault, Graph } from '@cogworks/graph/types';
import { createContext, useContext, useSyncExternalStore } from 'react';

/** One step of undo. `words` tell what was done, as `Width of Resize 800 → 640`. */
export type Step = { words: string; changes: Change[]; group?: string | undefined };

export type EditorState = {
  readonly graph: Graph;
  readonly definitions: Definitions;
  /** `node:KEY`, `note:ID`, `input:NAME`, `variable:NAME` or `edge:` and the edge's id. */
  readonly selection: ReadonlySet<string>;
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  /** What the last validation found: of an earlier graph, until the next one ends. */
  readonly faults: readonly Fault[];
  /** Whether there has been a validation at all; without one, no faults mean nothing. */
  readonly isChecked: boolean;
  readonly isReadOnly: boolean;
};

export type Editor = {
  getState(): EditorState;
  subscribe(listener: () => void): () => void;
  /**
   * One step of undo. With the group of the step before, it becomes a part of that one: all that is
   * typed in a field has one group until the field is left.
   */
  edit(words: string, change: (graph: Graph) => Graph, options?: { group?: string }): void;
  /**
   * What somebody else has changed since stays as it is.
   *
   * @returns false if that was all of it, so that nothing has changed.
   */
  undo(): boolean;
  redo(): boolean;
  /** Undoes or redoes until so many steps are left to undo. @returns as undo does. */
  goTo(steps: number): boolean;
  select(ids: Iterable<string>, options?: { add?: boolean }): void;
  setFaults(faults: readonly Fault[]): void;
  /** The validation could not be done. */
  setUnchecked(): void;
  setDefinitions(definitions: Definitions): void;
  setReadOnly(isReadOnly: boolean): void;
  /** Another graph without a step of undo, after a merge: the steps stay, and apply to it. */
  replaceBase(graph: Graph): void;
  /** Steps of an earlier visit that led to this graph. */
  restore(graph: Graph, past: readonly Step[], future: readonly Step[]): void;
};

/** More would only cost memory. */
const mostSteps = 1000;

export function createEditor(
  start: Pick<EditorState, 'graph' | 'definitions' | 'isReadOnly'>,
): Editor {
  const listeners = new Set<() => void>();
  let state: EditorState = {
    ...start,
    selection: new Set(),
    past: [],
    future: [],
    faults: [],
    isChecked: false,
  };
  const set = (changes: Partial<EditorState>) => {
    state = { ...state, ...changes };
    for (const listener of listeners) listener();
  };
  const goTo = (steps: number): boolean => {
    const { past, future } = state;
    const all = [...past, ...future.toReversed()];
    const target = Math.max(0, Math.min(steps, all.length));
    if (target === past.length || state.isReadOnly) return true;
    const back = past.slice(target).toReversed();
    const forth = all.slice(past.length, target);
    const changes = [
      ...back.map((step) => inverse(step.changes)),
      ...forth.map((step) => step.changes),
    ];
    const before = state.graph;
    const graph = changes.reduce(
      (so_far, some) => applyChanges(so_far, stillFitting(so_far, some)),
      before,
    );
    set({ graph, past: all.slice(0, target), future: all.slice(target).toReversed() });
    return changesBetween(before, graph).length > 0;
  };
  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    edit(words, change, { group } = {}) {
      if (state.isReadOnly) return;
      const graph = change(state.graph);
      if (graph === state.graph) return;
      const past = withStep(state, { words, group }, graph);
      if (past) set({ graph, past, future: [] });
    },
    undo: () => goTo(state.past.length - 1),
    redo: () => goTo(state.past.length + 1),
    goTo,
    select(ids, { add = false } = {}) {
      const selection = new Set([...(add ? state.selection : []), ...ids]);
      if (isSameSet(selection, state.selection)) return;
      set({ selection });
    },
    setFaults: (faults) => {
      // After most edits they are the same, and nothing need be drawn again.
      const isSame = JSON.stringify(faults) === JSON.stringify(state.faults);
      if (!isSame || !state.isChecked)
        set({ faults: isSame ? state.faults : faults, isChecked: true });
    },
    setUnchecked: () => set({ faults: [], isChecked: false }),
    setDefinitions: (definitions) => set({ definitions }),
    setReadOnly: (isReadOnly) => {
      if (isReadOnly !== state.isReadOnly) set({ isReadOnly });
    },
    replaceBase: (graph) => {
      if (graph !== state.graph) set({ graph });
    },
    restore: (graph, past, future) => set({ graph, past, future }),
  };
}

/** The steps with this one; undefined if nothing has changed. */
function withStep(
  { graph: before, definitions, past, future }: EditorState,
  { words, group }: Pick<Step, 'words' | 'group'>,
  graph: Graph,
): readonly Step[] | undefined {
  const changes = changesBetween(before, graph);
  if (changes.length === 0) return undefined;
  const last = past.at(-1);
  const isJoined = group !== undefined && last?.group === group && future.length === 0;
  const start = isJoined ? applyChanges(before, inverse(last.changes)) : before;
  // What a letter changed and the next one changed again is told once.
  const joined = isJoined ? changesBetween(start, graph) : changes;
  const earlier = isJoined ? past.slice(0, -1) : past;
  if (joined.length === 0) return earlier;
  const between = { before: start, after: graph, definitions };
  const step = { words: wordsForStep(words, joined, between), changes: joined, group };
  return [...earlier, step].slice(-mostSteps);
}

/** Of a single change with its values, which the words of a command do not have. */
function wordsForStep(words: string, changes: Change[], between: Between): string {
  if (changes.length !== 1 || changes[0]?.type !== 'set') return words;
  return wordsOf(changes, between)[0] ?? words;
}

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  a.size === b.size && [...a].every((item) => b.has(item));

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('There is no editor around this component.');
  return editor;
}

/** @param pick returns the same object as long as nothing of it has changed. */
export function useEditorState<Picked>(pick: (state: EditorState) => Picked): Picked {
  const { subscribe, getState } = useEditor();
  return useSyncExternalStore(subscribe, () => pick(getState()));
}
