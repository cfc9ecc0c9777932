/** What the address of the builder says: which view, which panel, which node, compared with what. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export const views = ['canvas', 'outline'] as const;
export const panels = ['faults', 'history', 'versions', 'inspector', 'palette', 'results'] as const;

export type BuilderView = (typeof views)[number];
export type BuilderPanel = (typeof panels)[number];

export type BuilderAddress = {
  view?: BuilderView | undefined;
  panel?: BuilderPanel | undefined;
  /** The node that is shown, by its key. */
  node?: string | undefined;
  /** The id of the version that this one is compared with. */
  from?: string | undefined;
};

export function builderAddress(search: Record<string, unknown>): BuilderAddress {
  const from = String(search.from ?? '');
  return {
    view: views.find((view) => view === search.view),
    panel: panels.find((panel) => panel === search.panel),
    node: typeof search.node === 'string' && search.node !== '' ? search.node : undefined,
    from: /^[1-9]\d{0,15}$/.test(from) ? from : undefined,
  };
}

export const useBuilderAddress = (): BuilderAddress => useSearch({ strict: false });

/** Changes a part of the address; Back leads to the one before unless it is replaced. */
export function useSetAddress() {
  const navigate = useNavigate();
  return useCallback(
    (changes: BuilderAddress, { replace = false } = {}) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, ...changes }),
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
}
