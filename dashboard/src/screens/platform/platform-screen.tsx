/** Settings › Platform: all organizations of the installation, what they use and may use. */
import type { Tenant } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Loader, Menu, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconBuilding, IconCoins, IconDots, IconGauge, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { apiPage } from '../../api.ts';
import { NewButton } from '../../commands/new-button.tsx';
import { planTitle } from '../../plans.ts';
import { Await } from '../../ui/await.tsx';
import { formatValue } from '../../ui/charts/values.ts';
import { Empty } from '../../ui/empty.tsx';
import { formatCount, formatSize } from '../../ui/format.ts';
import { Screen } from '../../ui/screen.tsx';
import table from '../../ui/table.module.css';
import { UsageBar } from '../../ui/usage-bar.tsx';
import { When } from '../../ui/when.tsx';
import { AddCreditsDialog } from './add-credits-dialog.tsx';
import { LimitsDialog } from './limits-dialog.tsx';
import { NewTenantDialog } from './new-tenant-dialog.tsx';

export function PlatformScreen() {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), 200);
  const tenants = useInfiniteQuery({
    queryKey: ['tenants', q],
    queryFn: ({ pageParam }) =>
      apiPage('listTenants', { query: { limit: 50, ...(q === '' ? {} : { q }) } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    placeholderData: keepPreviousData,
  });
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const [isMaking, setMaking] = useState(false);
  return (
    <Screen
      title={t`Organizations`}
      description={t`All organizations of this installation: what they use, and may use. Their files and runs stay their own.`}
      actions={
        <NewButton
          id="new organization"
          label={t`New organization`}
          onNew={() => setMaking(true)}
        />
      }
    >
      <TextInput
        aria-label={t`Search organizations`}
        placeholder={t`Search organizations`}
        leftSection={<IconSearch size={16} aria-hidden />}
        maw={320}
        mb="md"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Await query={tenants}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows);
          if (rows.length === 0)
            return (
              <Empty
                icon={<IconBuilding size={30} stroke={1.5} />}
                title={t`No organization found`}
              >
                <Trans>None has “{q}” in its name.</Trans>
              </Empty>
            );
          return (
            <>
              <TenantTable rows={rows} onAsk={setAsked} />
              {tenants.hasNextPage && (
                <Button
                  variant="subtle"
                  mt="md"
                  fullWidth
                  onClick={() => void tenants.fetchNextPage()}
                  {...(tenants.isFetchingNextPage ? { leftSection: <Loader size="xs" /> } : {})}
                >
                  <Trans>Show more</Trans>
                </Button>
              )}
            </>
          );
        }}
      </Await>
      <NewTenantDialog opened={isMaking} onClose={() => setMaking(false)} />
      {asked?.what === 'limits' && <LimitsDialog tenant={asked.tenant} onClose={close} />}
      {asked?.what === 'credits' && <AddCreditsDialog tenant={asked.tenant} onClose={close} />}
    </Screen>
  );
}

const limitWords = (limit: number | undefined): string =>
  limit === undefined ? t`No limit` : formatCount(limit);

type Asked = { tenant: Tenant; what: 'limits' | 'credits' };
type TableProps = { rows: readonly Tenant[]; onAsk: (asked: Asked) => void };

function TenantTable({ rows, onAsk }: TableProps) {
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>
            <Trans>Organization</Trans>
          </th>
          <th>
            <Trans>Seats</Trans>
          </th>
          <th>
            <Trans>Storage</Trans>
          </th>
          <th className={`${table.right} ${table.wide}`}>
            <Trans>Credits a month</Trans>
          </th>
          <th className={`${table.right} ${table.wide}`}>
            <Trans>Steps at once</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Created</Trans>
          </th>
          <th>
            <VisuallyHidden>
              <Trans>Actions</Trans>
            </VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((tenant) => (
          <tr key={tenant.id}>
            <td style={{ width: '28%' }}>
              <Link to="/analytics" search={{ tenant: tenant.id }} className={table.link}>
                {tenant.name}
              </Link>
              <Text size="xs" c="var(--faint)">
                {planTitle(tenant.plan, tenant)} ·{' '}
                <Plural value={tenant.user_count} one="# active user" other="# active users" />
              </Text>
            </td>
            <td>
              <UsageBar used={tenant.seats_used} limit={tenant.seats_limit} format={formatCount} />
            </td>
            <td>
              <UsageBar
                used={tenant.storage_used_bytes}
                limit={tenant.storage_limit_bytes}
                format={formatSize}
              />
            </td>
            <td className={`${table.quiet} ${table.right} ${table.wide}`}>
              {limitWords(tenant.credits_limit)}
              {tenant.credits_remaining !== undefined && (
                <Text size="xs" c="var(--faint)">
                  <Trans>{formatValue(tenant.credits_remaining, 'credits')} left</Trans>
                </Text>
              )}
            </td>
            <td className={`${table.quiet} ${table.right} ${table.wide}`}>
              {limitWords(tenant.max_running_node_runs)}
            </td>
            <td className={`${table.quiet} ${table.wide}`}>
              <When at={tenant.created_at} />
            </td>
            <td className={table.right}>
              <Menu>
                <Menu.Target>
                  <ActionIcon aria-label={t`Actions for ${tenant.name}`}>
                    <IconDots size={18} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={<IconGauge size={16} />}
                    onClick={() => onAsk({ tenant, what: 'limits' })}
                  >
                    <Trans>Name and limits…</Trans>
                  </Menu.Item>
                  {tenant.credits_limit !== undefined && (
                    <Menu.Item
                      leftSection={<IconCoins size={16} />}
                      onClick={() => onAsk({ tenant, what: 'credits' })}
                    >
                      <Trans>Add credits…</Trans>
                    </Menu.Item>
                  )}
                </Menu.Dropdown>
              </Menu>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
