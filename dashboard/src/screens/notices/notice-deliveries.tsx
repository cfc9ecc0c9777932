/** What a notice has sent, how often it tried, and a way to send a message once more. */
import type { Notice, NoticeDelivery } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconMailForward, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatDuration, formatExactly } from '../../ui/format.ts';
import { OlderRows } from '../../ui/older-rows.tsx';
import { RunLink } from '../../ui/run-link.tsx';
import { Status } from '../../ui/status.tsx';
import table from '../../ui/table.module.css';
import { Coming, When } from '../../ui/when.tsx';
import { useNoticeDeliveries, useRedelivery } from './queries.ts';
import { typeLabels } from './words.ts';

export function NoticeDeliveries({ notice }: { notice: Notice }) {
  const [shownId, setShownId] = useState<number>();
  const list = useNoticeDeliveries(notice.id);
  return (
    <OlderRows list={list} empty={<NothingSent />}>
      {(rows) => {
        const shown = rows.find(({ id }) => id === shownId);
        return (
          <>
            <DeliveryTable rows={rows} onShow={setShownId} />
            {shown && (
              <DeliveryDialog notice={notice} row={shown} onClose={() => setShownId(undefined)} />
            )}
          </>
        );
      }}
    </OlderRows>
  );
}

type TableProps = { rows: readonly NoticeDelivery[]; onShow: (id: number) => void };

const DeliveryTable = ({ rows, onShow }: TableProps) => (
  <table className={table.table}>
    <thead>
      <tr>
        <th>
          <Trans>Message</Trans>
        </th>
        <th>
          <Trans>State</Trans>
        </th>
        <th className={table.wide}>
          <Trans>Last answer</Trans>
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
            <Anchor component="button" fw={520} fz="sm" onClick={() => onShow(row.id)}>
              {typeLabels[row.type]}
            </Anchor>
            <Text span size="sm" c="var(--faint)" ml={10}>
              <When at={row.created_at} />
            </Text>
            {row.next_attempt_at && row.attempts.length > 0 && (
              <Text size="xs" c="var(--faint)">
                <Trans>
                  <Plural value={row.attempts.length} one="# attempt" other="# attempts" />, the
                  next <Coming at={row.next_attempt_at} />
                </Trans>
              </Text>
            )}
          </td>
          <td>
            <Status status={row.state} />
          </td>
          <td className={`${table.quiet} ${table.wide}`}>{lastAnswer(row)}</td>
          <td>{row.workflow_run_id !== undefined && <RunLink id={row.workflow_run_id} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const answerOf = ({ status, error }: NoticeDelivery['attempts'][number]) =>
  [status, error].filter(Boolean).join(': ') || t`No answer`;

function lastAnswer({ attempts }: NoticeDelivery) {
  const last = attempts.at(-1);
  if (!last) return '';
  return last.status === undefined ? t`No answer` : last.status;
}

type DialogProps = { notice: Notice; row: NoticeDelivery; onClose: () => void };

function DeliveryDialog({ notice, row, onClose }: DialogProps) {
  const again = useRedelivery(notice.id);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t`${typeLabels[row.type]}: message ${row.id}`}
      size="lg"
    >
      {again.error && <Problem error={again.error} title={t`It could not be sent again`} />}
      <Facts
        facts={[
          [t`State`, <Status key="state" status={row.state} />],
          [t`Made`, formatExactly(row.created_at)],
          [t`Next attempt`, row.next_attempt_at && formatExactly(row.next_attempt_at)],
          [notice.by_mail ? t`Message-ID` : 'webhook-id', <code key="id">{row.message_id}</code>],
        ]}
      />
      {row.attempts.length > 0 && (
        <table className={table.table} style={{ marginTop: 16 }}>
          <thead>
            <tr>
              <th>
                <Trans>Attempt</Trans>
              </th>
              <th>
                <Trans>Answer</Trans>
              </th>
              <th>
                <Trans>Took</Trans>
              </th>
            </tr>
          </thead>
          <tbody>
            {row.attempts.toReversed().map((attempt) => (
              <tr key={attempt.attempted_at}>
                <td>{formatExactly(attempt.attempted_at)}</td>
                <td>{answerOf(attempt)}</td>
                <td className={table.quiet}>{formatDuration(attempt.duration_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Group justify="flex-end" mt="lg">
        <Button
          variant="default"
          leftSection={<IconMailForward size={17} />}
          disabled={!notice.enabled}
          loading={again.isPending}
          onClick={() =>
            again.mutate(row.id, {
              onSuccess: () =>
                notifications.show({ message: t`It is sent once more, under the same id.` }),
            })
          }
        >
          <Trans>Send again</Trans>
        </Button>
      </Group>
    </Dialog>
  );
}

const NothingSent = () => (
  <Empty icon={<IconSend size={30} stroke={1.5} />} title={t`Nothing was sent yet`}>
    <Trans>
      Messages are here for 30 days, with each attempt and its answer. “Send a test” tries it out.
    </Trans>
  </Empty>
);
