/** What came to a webhook, and why it was refused; a message can be looked at and delivered again. */
import type { Delivery, Trigger } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconMailForward, IconWebhook } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useApiPages } from '../../api-pages.ts';
import { useMe } from '../../people.ts';
import { randomKey } from '../../request-key.ts';
import { readAgain } from '../../triggers/queries.ts';
import { mayUse } from '../../triggers/rights.ts';
import { Await, Problem } from '../../ui/await.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatExactly, formatSize } from '../../ui/format.ts';
import { OlderRows } from '../../ui/older-rows.tsx';
import { RunLink } from '../../ui/run-link.tsx';
import { Status } from '../../ui/status.tsx';
import table from '../../ui/table.module.css';
import { When } from '../../ui/when.tsx';

/** Refused messages start no run, whose events would tell of them. */
const againAfter_ms = () => 10_000;

export function Deliveries({ trigger }: { trigger: Trigger }) {
  const { id } = trigger;
  const [shown, setShown] = useState<Delivery>();
  const list = useApiPages(
    ['deliveries', id],
    'listDeliveries',
    { path: { id }, query: { limit: 50 } },
    againAfter_ms,
  );
  return (
    <OlderRows list={list} empty={<NoDeliveries />}>
      {(rows) => (
        <>
          <DeliveryTable rows={rows} onShow={setShown} />
          {shown && (
            <DeliveryDialog trigger={trigger} row={shown} onClose={() => setShown(undefined)} />
          )}
        </>
      )}
    </OlderRows>
  );
}

type TableProps = { rows: readonly Delivery[]; onShow: (row: Delivery) => void };

const DeliveryTable = ({ rows, onShow }: TableProps) => (
  <table className={table.table}>
    <thead>
      <tr>
        <th>
          <Trans>Message</Trans>
        </th>
        <th>
          <Trans>Verdict</Trans>
        </th>
        <th className={table.wide}>
          <Trans>Answer</Trans>
        </th>
        <th>
          <Trans>Run</Trans>
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>
          <td style={{ width: '50%' }}>
            <Anchor component="button" fw={520} fz="sm" onClick={() => onShow(row)}>
              <Trans>Message {row.id}</Trans>
            </Anchor>
            <Text span size="sm" c="var(--faint)" ml={10}>
              <Arrival row={row} />
            </Text>
            {row.reason && (
              <Text size="xs" c="var(--faint)" lineClamp={2}>
                {row.reason}
              </Text>
            )}
          </td>
          <td>
            <Status status={row.verdict} />
          </td>
          <td className={`${table.quiet} ${table.wide}`}>{row.status}</td>
          <td>{row.workflow_run_id !== undefined && <RunLink id={row.workflow_run_id} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Arrival = ({ row: { received_at, redelivery_of } }: { row: Delivery }) =>
  redelivery_of === undefined ? (
    <When at={received_at} />
  ) : (
    <Trans>
      <When at={received_at} />, {redelivery_of} again
    </Trans>
  );

type DialogProps = { trigger: Trigger; row: Delivery; onClose: () => void };

function DeliveryDialog({ trigger, row, onClose }: DialogProps) {
  const { data: me } = useMe();
  const path = { id: trigger.id, delivery_id: row.id };
  const delivery = useQuery({
    queryKey: ['delivery', trigger.id, row.id],
    queryFn: () => api.getDelivery({ path }),
  });
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => api.redeliver({ path, idempotencyKey: randomKey() }),
    onSettled: () => readAgain(client),
  });
  return (
    <Dialog opened onClose={onClose} title={t`Message ${row.id}`} size="lg">
      {again.error && <Problem error={again.error} title={t`It could not be delivered again`} />}
      <Facts
        facts={[
          [t`Verdict`, <Status key="verdict" status={row.verdict} />],
          [t`Answer`, row.reason ? `${row.status}: ${row.reason}` : row.status],
          [t`Came`, formatExactly(row.received_at)],
          [t`Id`, row.message_id],
          [t`Size`, formatSize(row.size_bytes)],
        ]}
      />
      <Await query={delivery}>
        {({ body }) =>
          body === undefined ? (
            <Text size="sm" c="var(--faint)" my="md">
              <Trans>
                Its body is not kept: bodies of signed messages are, for seven days and up to 64 KB.
              </Trans>
            </Text>
          ) : (
            <CodeBlock label={t`Body`} isWrapped>
              {indented(body)}
            </CodeBlock>
          )
        }
      </Await>
      <Group justify="flex-end" mt="md" gap="sm">
        {again.data && (
          <Text size="sm" role="status">
            <Trans>
              Started as <RunLink id={again.data.workflow_run_id} />
            </Trans>
          </Text>
        )}
        <Button
          variant="default"
          leftSection={<IconMailForward size={17} />}
          disabled={!row.has_body || !mayUse(trigger, me)}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          <Trans>Deliver again</Trans>
        </Button>
      </Group>
    </Dialog>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const NoDeliveries = () => (
  <Empty icon={<IconWebhook size={30} stroke={1.5} />} title={t`No message has come yet`}>
    <Trans>
      Post a signed message to the URL above. Refused ones are here too, with the reason.
    </Trans>
  </Empty>
);
