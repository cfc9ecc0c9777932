/** The file or folder whose details or preview are shown, as the URL says. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../api.ts';

type View = 'details' | 'preview';

/** @param view which of the two. It may be of a row that is not loaded. */
export function useShown(view: View, rows: readonly PlacedCog[]) {
  const navigate = useNavigate();
  const id = useSearch({ strict: false })[view];
  const row = id === undefined ? undefined : rows.find((one) => one.id === id);
  const { data } = useQuery({
    queryKey: ['cog', id],
    queryFn: () => api.getCog({ path: { id: id ?? 0 } }),
    enabled: id !== undefined && !row,
  });
  return {
    cog: row ?? (id === undefined ? undefined : data),
    /** Back leads to before it was opened, however many are shown one after another. */
    show: (cog: PlacedCog | undefined) =>
      void navigate({
        to: '.',
        // Details are beside the list, so the preview over it closes.
        search: (old) => ({ ...old, preview: undefined, [view]: cog?.id }),
        replace: id !== undefined,
      }),
  };
}
