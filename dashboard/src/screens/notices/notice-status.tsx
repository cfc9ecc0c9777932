/** Whether a notice sends, and its switch. */
import type { Notice } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMe, useUsers } from '../../people.ts';
import { wordsOf } from '../../ui/await.tsx';
import { Tag } from '../../ui/tag.tsx';
import { mayChange, useChange } from './queries.ts';
import { nameOf, type Pause, pauseOf } from './words.ts';

export function usePause(): (notice: Notice) => Pause | undefined {
  const user = useUsers();
  const { data: me } = useMe();
  return (notice) => {
    const isMakerDisabled = user(notice.created_by)?.status === 'disabled';
    return pauseOf(notice, { isMakerDisabled, isMailOff: me?.gets_mail === false }, new Date());
  };
}

export function NoticeStatus({ notice }: { notice: Notice }) {
  const pause = usePause()(notice);
  if (pause) return <Tag>{pause.label}</Tag>;
  if (notice.failing_since !== undefined)
    return (
      <Tag tone="bad">
        <Trans>Failing</Trans>
      </Tag>
    );
  return (
    <Tag tone="accent">
      <Trans>Ready</Trans>
    </Tag>
  );
}

export function NoticeSwitch({ notice }: { notice: Notice }) {
  const { data: me } = useMe();
  const change = useChange(notice.id);
  const name = nameOf(notice);
  const wanted = change.isPending ? change.variables.enabled : undefined;
  return (
    <Switch
      aria-label={t`${name} is on`}
      checked={wanted ?? notice.enabled}
      disabled={!mayChange(notice, me)}
      onChange={({ currentTarget }) =>
        change.mutate(
          { enabled: currentTarget.checked },
          {
            onError: (error) =>
              notifications.show({
                color: 'red',
                title: t`This notice could not be changed`,
                message: wordsOf(error).message,
              }),
          },
        )
      }
    />
  );
}
