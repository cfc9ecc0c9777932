/**
 * The files and variables chosen for a new run: few of them in the address, many in the entry of the
 * browser's history, which a reload keeps, too. Servers refuse long addresses.
 */
import { useLocation } from '@tanstack/react-router';
import { useMemo } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    files?: string;
    variables?: string;
  }
}

const mostInAddress = 500;
const longestInAddress = 1000;

/** What leads to a new run over these, for the router. */
export function withRunFiles(ids: readonly number[]) {
  const files = ids.join(',');
  return ids.length <= mostInAddress
    ? { search: { files }, state: {} }
    : { search: { files: undefined }, state: { files } };
}

/** The same for the values of variables. */
export function withRunVariables(variables: Readonly<Record<string, unknown>>) {
  const text = JSON.stringify(variables);
  return text.length <= longestInAddress
    ? { search: { variables }, state: {} }
    : { search: { variables: undefined }, state: { variables: text } };
}

/** Those that a new run was asked for with, if any. */
export function useRunVariables(): Readonly<Record<string, unknown>> {
  const { given, text } = useLocation({
    select: ({ search, state }) => ({ given: search.variables, text: state.variables }),
  });
  return useMemo(() => given ?? (text === undefined ? {} : JSON.parse(text)), [given, text]);
}

export function useRunFiles(): number[] {
  const files = useLocation({ select: ({ search, state }) => search.files ?? state.files ?? '' });
  return files.split(',').map(Number).filter(Number.isSafeInteger).filter(Boolean);
}
