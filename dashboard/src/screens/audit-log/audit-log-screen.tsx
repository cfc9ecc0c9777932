/** Settings › Audit log: who did what, in sentences; the URL has the filters. */
import type { AuditEvent } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload, IconHistory, IconRefresh, IconShieldCheck } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Await, wordsOf } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import { EventDialog } from './event-dialog.tsx';
import { EventList } from './event-list.tsx';
import { FilterFields } from './filter-fields.tsx';
import { type Filters, useCsv, useEvents } from './queries.ts';
import { SealsDialog } from './seals-dialog.tsx';

export function AuditLogScreen() {
  const { user, action, outcome, from, to } = useSearch({ strict: false });
  const filters: Filters = { user, action, outcome, from, to };
  const navigate = useNavigate();
  const events = useEvents(filters);
  const csv = useCsv(filters);
  const [shown, setShown] = useState<AuditEvent>();
  const [isVerifying, setVerifying] = useState(false);
  const download = () =>
    csv.mutate(undefined, {
      onError: (error) =>
        notifications.show({
          color: 'red',
          title: t`The download did not work`,
          message: wordsOf(error).message,
        }),
    });
  return (
    <Screen
      title={t`Audit log`}
      description={t`Who signed in, changed rights, keys or settings, or deleted something. Nobody can change it here.`}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconRefresh size={17} />}
            loading={events.isRefetching && !events.isFetchingNextPage}
            onClick={() => void events.refetch()}
          >
            <Trans>Refresh</Trans>
          </Button>
          <Button
            variant="default"
            leftSection={<IconShieldCheck size={17} />}
            onClick={() => setVerifying(true)}
          >
            <Trans>Verify</Trans>
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={17} />}
            loading={csv.isPending}
            onClick={download}
          >
            <Trans>Download as CSV</Trans>
          </Button>
        </>
      }
    >
      {isVerifying && <SealsDialog onClose={() => setVerifying(false)} />}
      <FilterFields
        filters={filters}
        onChange={(changes) =>
          void navigate({
            to: '.',
            search: (old) => ({ ...old, ...changes }) as never,
            replace: true,
          })
        }
      />
      <Await query={events}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows);
          if (rows.length === 0) return <NothingFound />;
          return (
            <>
              <EventList rows={rows} onShow={setShown} />
              {events.hasNextPage && (
                <Button
                  variant="subtle"
                  fullWidth
                  mt="md"
                  loading={events.isFetchingNextPage}
                  onClick={() => void events.fetchNextPage()}
                >
                  <Trans>Show older</Trans>
                </Button>
              )}
            </>
          );
        }}
      </Await>
      {shown && <EventDialog event={shown} onClose={() => setShown(undefined)} />}
    </Screen>
  );
}

const NothingFound = () => (
  <Empty icon={<IconHistory size={30} stroke={1.5} />} title={t`Nothing of that kind`}>
    <Trans>No event fits all of the filters. Take one away, or choose a longer time.</Trans>
  </Empty>
);
