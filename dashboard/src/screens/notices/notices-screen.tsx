/** Settings › Notices: URLs that are called, and mails that are sent, when runs end. */
import type { Notice } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, VisuallyHidden } from '@mantine/core';
import { IconBellRinging } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { NewButton } from '../../commands/new-button.tsx';
import { useMe } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import table from '../../ui/table.module.css';
import { useWorkflowNames } from '../../workflows.ts';
import { NoticeDialog } from './notice-dialog.tsx';
import { NoticeStatus, NoticeSwitch } from './notice-status.tsx';
import { useNotices, useReceiver } from './queries.ts';
import { nameOf, whenWords } from './words.ts';

export function NoticesScreen() {
  const notices = useNotices();
  const { data: me } = useMe();
  const [isMaking, setMaking] = useState(false);
  const newNotice = (
    <NewButton id="new notice" label={t`New notice`} onNew={() => setMaking(true)} />
  );
  return (
    <Screen
      title={t`Notices`}
      description={
        me?.gets_mail
          ? t`Other programs are told when runs end: by signed messages to a URL. Or you are: by mail.`
          : t`Other programs are told when runs end: by signed messages to a URL.`
      }
      actions={newNotice}
    >
      <Await query={notices}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              icon={<IconBellRinging size={30} stroke={1.5} />}
              title={t`No notices yet`}
              action={newNotice}
            >
              <Trans>
                Tell a chat, a ticket system or a program of your own when a run fails or succeeds,
                instead of looking for it.
              </Trans>
            </Empty>
          ) : (
            <NoticeTable rows={rows} />
          )
        }
      </Await>
      {isMaking && <NoticeDialog onClose={() => setMaking(false)} />}
    </Screen>
  );
}

function NoticeTable({ rows }: { rows: readonly Notice[] }) {
  const workflowName = useWorkflowNames();
  const receiver = useReceiver();
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>
            <Trans>Notice</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Runs of</Trans>
          </th>
          <th>
            <Trans>Status</Trans>
          </th>
          <th>
            <VisuallyHidden>
              <Trans>On or off</Trans>
            </VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((notice) => (
          <tr key={notice.id}>
            <td style={{ width: '55%' }}>
              <Link
                to="/settings/notices/$noticeId"
                params={{ noticeId: String(notice.id) }}
                className={table.link}
              >
                {nameOf(notice)}
              </Link>
              <Text size="xs" c="var(--faint)" lineClamp={2}>
                {whenWords(notice.events)} · {receiver(notice)}
              </Text>
            </td>
            <td className={table.wide}>
              {notice.workflow_id === undefined
                ? t`All workflows`
                : workflowName(notice.workflow_id)}
            </td>
            <td>
              <NoticeStatus notice={notice} />
            </td>
            <td className={table.right}>
              <NoticeSwitch notice={notice} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
