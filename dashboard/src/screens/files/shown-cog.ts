/** The file or folder whose details or preview are shown, as the URL says. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api } from '../../api.ts';
import { wordsOf } from '../../ui/await.tsx';

type View = 'details' | 'preview';

const notShown: Record<View, string> = {
  details: t`The details cannot be shown`,
  preview: t`The preview cannot be shown`,
};

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What the step to this entry has opened. */
    opened?: View;
  }
}

/** @param view which of the two. It may be of a row that is not loaded. */
export function useShown(view: View, rows: readonly PlacedCog[]) {
  const navigate = useNavigate();
  const { history } = useRouter();
  const opened = useLocation({ select: ({ state }) => state.opened });
  const id = useSearch({ strict: false })[view];
  const row = id === undefined ? undefined : rows.find((one) => one.id === id);
  const { data, error } = useQuery({
    queryKey: ['cog', id],
    queryFn: () => api.getCog({ path: { id: id ?? 0 } }),
    enabled: id !== undefined && !row,
  });
  /** Back leads to before it was opened, however many are shown one after another. */
  const show = (cog: PlacedCog | undefined, hash?: string) => {
    // Otherwise Back would lead to the same list once more.
    if (!cog && opened === view) return history.back();
    void navigate({
      to: '.',
      // Details are beside the list, so the preview over it closes.
      search: (old) => ({ ...old, preview: undefined, origin: undefined, [view]: cog?.id }),
      state: id === undefined ? { opened: view } : true,
      replace: id !== undefined,
      ...(hash !== undefined && { hash }),
      // The list stays where it is.
      resetScroll: false,
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once
  useEffect(() => {
    if (error == null || row) return;
    const { message } = wordsOf(error);
    notifications.show({ color: 'red', title: notShown[view], message });
    show(undefined);
  }, [error]);
  return { cog: row ?? (id === undefined ? undefined : data), show };
}
