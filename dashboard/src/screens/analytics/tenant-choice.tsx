/** Platform admins choose one organization, or all. */
import { t } from '@lingui/core/macro';
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';

const most = 20;

type Props = { value: number | undefined; onChange: (tenant: number | undefined) => void };

export function TenantChoice({ value, onChange }: Props) {
  const [text, setText] = useState('');
  const chosen = useQuery({
    queryKey: ['tenant', value],
    queryFn: () => api.getTenant({ path: { id: value ?? 0 } }),
    enabled: value !== undefined,
  });
  const name = chosen.data?.name;
  // The field shows the name of the chosen one, which is no search.
  const [q] = useDebouncedValue(text === name ? '' : text, 200);
  const found = useQuery({
    queryKey: ['tenants', 'found', q],
    queryFn: () => api.listTenants({ query: { limit: most, ...(q === '' ? {} : { q }) } }),
    placeholderData: keepPreviousData,
  });
  const tenants = new Map((found.data ?? []).map((tenant) => [tenant.id, tenant.name]));
  if (value !== undefined) tenants.set(value, name ?? t`Organization ${value}`);
  return (
    <Select
      size="xs"
      w={220}
      aria-label={t`Organization`}
      placeholder={t`All organizations`}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t`All organizations` }}
      data={[...tenants].map(([id, label]) => ({ value: String(id), label }))}
      // The service has searched.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onChange(id === null ? undefined : Number(id))}
      nothingFoundMessage={t`No organization of this name`}
    />
  );
}
