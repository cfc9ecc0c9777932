/**
 * The files chosen for a new run: few of them in the address, many in the entry of the browser's
 * history, which a reload keeps, too. Servers refuse long addresses.
 */
import { useLocation } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    files?: string;
  }
}

const mostInAddress = 500;

/** What leads to a new run over these, for the router. */
export function withRunFiles(ids: readonly number[]) {
  const files = ids.join(',');
  return ids.length <= mostInAddress
    ? { search: { files }, state: {} }
    : { search: { files: undefined }, state: { files } };
}

export function useRunFiles(): number[] {
  const files = useLocation({ select: ({ search, state }) => search.files ?? state.files ?? '' });
  return files.split(',').map(Number).filter(Number.isSafeInteger).filter(Boolean);
}
