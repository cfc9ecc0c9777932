/** People of the tenant whose name or address has what somebody types, as they type. */
import { t } from '@lingui/core/macro';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './api.ts';

export function useFoundPeople(text: string) {
  const [q] = useDebouncedValue(text.trim(), 200);
  const found = useQuery({
    queryKey: ['users', 'found', q],
    queryFn: () => api.listUsers({ query: { q, limit: 20 } }),
    placeholderData: keepPreviousData,
  });
  return {
    people: found.data ?? [],
    nothingFound: q !== text.trim() || found.isFetching ? t`Searching …` : undefined,
  };
}
