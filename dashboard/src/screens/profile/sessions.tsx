/** Where I am signed in; each session can be ended, or all but this one. */
import type { Session } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Await, LoadingRows } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import classes from './profile.module.css';

/** One, or all but this. */
type Ended = Session | 'others';

export function Sessions() {
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => api.listSessions({ query: { limit: 1000 } }),
    refetchOnMount: 'always',
  });
  const [ending, setEnding] = useState<Ended>();
  return (
    <Await query={sessions} loading={<LoadingRows rows={2} />}>
      {(rows) => {
        const others = rows.filter(({ is_current }) => !is_current).length;
        return (
          <>
            <ul className={classes.sessions}>
              {rows
                .toSorted((a, b) => Number(b.is_current) - Number(a.is_current))
                .map((session) => (
                  <SessionRow key={session.id} session={session} onEnd={setEnding} />
                ))}
            </ul>
            {others > 1 && (
              <Button
                variant="default"
                mt="md"
                c="var(--mantine-color-error)"
                onClick={() => setEnding('others')}
              >
                <Plural value={others} one="End # other…" other="End all # others…" />
              </Button>
            )}
            {others === 0 && (
              <Text size="sm" c="var(--faint)" mt="sm">
                <Trans>You are signed in nowhere else.</Trans>
              </Text>
            )}
            {ending && (
              <EndDialog ended={ending} count={others} onClose={() => setEnding(undefined)} />
            )}
          </>
        );
      }}
    </Await>
  );
}

type RowProps = { session: Session; onEnd: (session: Session) => void };

function SessionRow({ session, onEnd }: RowProps) {
  const { device, address, created_at, last_used_at, is_current } = session;
  const Icon = /iPhone|iPad|Android/.test(device) ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <li className={classes.session}>
      <Icon size={24} stroke={1.5} aria-hidden />
      <div className={classes.place}>
        <Text size="sm" fw={540} component="div">
          {device}{' '}
          {is_current && (
            <Tag tone="accent">
              <Trans>This one</Trans>
            </Tag>
          )}
        </Text>
        <Text size="xs" c="var(--faint)" style={{ overflowWrap: 'anywhere' }}>
          <Trans>
            {address} · signed in <When at={created_at} /> · last used <When at={last_used_at} />
          </Trans>
        </Text>
      </div>
      {!is_current && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={t`End the session of ${device}, ${address}`}
          onClick={() => onEnd(session)}
        >
          <Trans context="verb">End</Trans>
        </Button>
      )}
    </li>
  );
}

type EndProps = { ended: Ended; count: number; onClose: () => void };

function EndDialog({ ended, count, onClose }: EndProps) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () =>
      ended === 'others' ? api.endOtherSessions() : api.endSession({ path: { id: ended.id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sessions'] });
      notifications.show({
        message: ended === 'others' ? t`All other sessions have ended.` : t`The session has ended.`,
      });
      onClose();
    },
  });
  const isOne = ended !== 'others';
  return (
    <Confirm
      opened
      title={isOne ? t`End the session of ${ended.device}` : t`End all other sessions`}
      verb={isOne ? t`End it` : plural(count, { one: 'End # session', other: 'End # sessions' })}
      isBusy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {isOne
        ? t`That browser is signed out at once, and has to sign in again. API keys go on working.`
        : t`Those browsers are signed out at once, and have to sign in again. API keys go on working.`}
    </Confirm>
  );
}
