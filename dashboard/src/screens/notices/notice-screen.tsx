/** One notice: what it tells, whom, why nothing is sent if so, and what was sent. */
import type { Notice } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPause } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useMe, useNames, useUsers } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatExactly } from '../../ui/format.ts';
import { Screen } from '../../ui/screen.tsx';
import { When } from '../../ui/when.tsx';
import { useWorkflowNames } from '../../workflows.ts';
import { NoticeActions } from './notice-actions.tsx';
import { NoticeDeliveries } from './notice-deliveries.tsx';
import { NoticeStatus, usePause } from './notice-status.tsx';
import { mayChange, useNotice } from './queries.ts';
import { nameOf, whenWords } from './words.ts';

export function NoticeScreen() {
  const { noticeId } = useParams({ strict: false });
  return <NoticeOf key={noticeId} id={Number(noticeId)} />;
}

function NoticeOf({ id }: { id: number }) {
  const notice = useNotice(id);
  const { data: me } = useMe();
  return (
    <Screen
      title={notice.data ? nameOf(notice.data) : t`Notice`}
      lead={
        <Anchor component={Link} to="/settings/notices" size="sm" c="var(--faint)">
          <Trans>Notices</Trans>
        </Anchor>
      }
      aside={notice.data && <NoticeStatus notice={notice.data} />}
      actions={notice.data && mayChange(notice.data, me) && <NoticeActions notice={notice.data} />}
    >
      <Await query={notice}>
        {(one) => (
          <>
            <WhyNot notice={one} />
            <NoticeFacts notice={one} />
            <Title order={2} size="md" mt="xl" mb="sm">
              <Trans>Messages</Trans>
            </Title>
            {mayChange(one, me) ? (
              <NoticeDeliveries notice={one} />
            ) : (
              <Text size="sm" c="var(--faint)">
                <Trans>Who made it and administrators see what was sent.</Trans>
              </Text>
            )}
          </>
        )}
      </Await>
    </Screen>
  );
}

/** Why nothing is sent now, or nothing arrives. */
function WhyNot({ notice }: { notice: Notice }) {
  const pause = usePause()(notice);
  const { enabled, failing_since, quiet_until } = notice;
  if (!pause && failing_since === undefined) return null;
  const sentences = [
    pause?.reason,
    pause && enabled && quiet_until !== undefined && t`Until ${formatExactly(quiet_until)}.`,
    failing_since !== undefined &&
      t`Every attempt since ${formatExactly(failing_since)} has failed.`,
    !pause && t`After five days of that, the notice turns itself off.`,
  ];
  const Icon = pause ? IconPlayerPause : IconAlertTriangle;
  return (
    <Alert
      color={pause ? 'gray' : 'red'}
      icon={<Icon size={18} />}
      title={pause?.label ?? t`No message arrives`}
      mb="lg"
    >
      <Text size="sm">{sentences.filter(Boolean).join(' ')}</Text>
    </Alert>
  );
}

function NoticeFacts({ notice }: { notice: Notice }) {
  const { url, events, workflow_id, created_by, created_at } = notice;
  const names = useNames();
  const user = useUsers();
  const workflowName = useWorkflowNames();
  return (
    <Facts
      facts={[
        [t`Tells`, whenWords(events)],
        [
          t`Runs of`,
          workflow_id === undefined ? (
            t`All workflows`
          ) : (
            <Link
              key="workflow"
              to="/workflows/$workflowId"
              params={{ workflowId: String(workflow_id) }}
              style={{ color: 'inherit' }}
            >
              {workflowName(workflow_id)}
            </Link>
          ),
        ],
        url === undefined
          ? [t`By mail to`, user(created_by)?.email ?? t`its maker`]
          : [t`URL`, <code key="url">{url}</code>],
        [
          t`Made`,
          <span key="made">
            {names(created_by)}, <When at={created_at} />
          </span>,
        ],
      ]}
    />
  );
}
