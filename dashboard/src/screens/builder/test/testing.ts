/** The tests of the opened draft, for the components of the builder. */
import type { Graph } from '@cogworks/graph/types';
import { ApiError } from '@cogworks/sdk/errors';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import { api } from '../../../api.ts';
import { useEditorState } from '../editor.ts';
import { useStored } from '../store.ts';
import { changedSince } from './changed.ts';
import { goneOutcome, outcomeOf } from './outcome.ts';
import type { Tested, Tester, TestState } from './tester.ts';

/** Null where nothing can be tested: only drafts are. */
export const TesterContext = createContext<Tester | null>(null);

export const useTester = () => useContext(TesterContext);

const none: Tester['store'] = {
  get: () => emptyState,
  set: () => {},
  subscribe: () => () => {},
};
const emptyState: TestState = {
  sample: { cog_ids: [], variables: {} },
  tested: new Map(),
  files: new Map(),
  last: undefined,
  error: undefined,
  asked: undefined,
  shown: undefined,
};

export const useTestState = <Picked>(pick: (state: TestState) => Picked): Picked =>
  useStored(useTester()?.store ?? none, pick);

export type Shown = { tested: Tested; isStale: boolean };

/** What the last test showed of a step, and whether the step has changed since. */
export function useTested(key: string): Shown | undefined {
  const tested = useTestState((state) => state.tested.get(key));
  const sample = useTestState((state) => state.sample);
  const graph = useEditorState((state) => (tested ? state.graph : undefined));
  const definitions = useEditorState((state) => state.definitions);
  const isChanged = useMemo(
    () => tested && graph && changedOf(tested.graph, graph, definitions).has(key),
    [tested, graph, definitions, key],
  );
  if (!tested) return undefined;
  return { tested, isStale: Boolean(isChanged) || tested.sample !== sample };
}

/** Whether the files of a test were removed, as they are after a day, while the page was open. */
function useAreGone({ madeId }: Pick<Tested, 'madeId'>): boolean {
  const { error } = useQuery({
    queryKey: ['cog', madeId],
    queryFn: () => api.getCog({ path: { id: madeId ?? 0 } }),
    enabled: madeId !== undefined,
    // Whoever comes back to the page may have been away for a day.
    refetchOnWindowFocus: 'always',
  });
  return error instanceof ApiError && error.status === 404;
}

/** The same in words. A success whose files were removed counts as out of date. */
export function useOutcome({ tested, isStale }: Shown) {
  const areGone = useAreGone(tested);
  const usual = outcomeOf(tested.runs, isStale);
  const isGone = areGone && usual.status === 'success';
  return { ...usual, ...(isGone && goneOutcome), areGone, isStale: isStale || isGone };
}

type Args = Parameters<typeof changedSince>;
const known = new WeakMap<Graph, { args: Args; changed: ReadonlySet<string> }>();

/** Worked out once for all cards. */
function changedOf(...args: Args): ReadonlySet<string> {
  const [tested] = args;
  const last = known.get(tested);
  if (last?.args.every((one, index) => one === args[index])) return last.changed;
  const changed = changedSince(...args);
  known.set(tested, { args, changed });
  return changed;
}
