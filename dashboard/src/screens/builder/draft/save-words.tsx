/** Whether the draft is saved; never says so before it is. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCloudCheck,
  IconCloudOff,
  IconCloudUp,
  IconPencil,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { wordsOf } from '../../../ui/await.tsx';
import { formatTime } from '../../../ui/format.ts';
import classes from '../builder.module.css';
import { useSaver, useSaverState } from './draft-context.ts';
import type { SaverState } from './saver.ts';

export function SaveWords() {
  const saver = useSaver();
  const state = useSaverState();
  if (!state) return null;
  const { words, icon } = told(state);
  const why = state.problem === undefined ? undefined : wordsOf(state.problem).message;
  return (
    <Group gap={6} wrap="nowrap" className={classes.saved} data-status={state.status}>
      <Tooltip label={why} disabled={!why} multiline maw={320}>
        <Group gap={6} wrap="nowrap">
          {icon}
          <Text component="span" size="sm" role="status" truncate>
            {words}
          </Text>
        </Group>
      </Tooltip>
      {state.status === 'unreachable' && (
        <Button size="compact-xs" variant="subtle" onClick={() => saver?.retry()}>
          <Trans>Try now</Trans>
        </Button>
      )}
    </Group>
  );
}

const size = 17;

function told({ status, savedAt, isKept, conflicts }: SaverState): {
  words: string;
  icon: ReactNode;
} {
  const time = savedAt ? formatTime(savedAt.toISOString()) : '';
  switch (status) {
    case 'saved':
      return {
        words: time === '' ? t`All saved` : t`Saved ${time}`,
        icon: <IconCloudCheck size={size} aria-hidden />,
      };
    case 'waiting':
      return { words: t`Not saved yet`, icon: <IconPencil size={size} aria-hidden /> };
    case 'saving':
      return { words: t`Saving …`, icon: <IconCloudUp size={size} aria-hidden /> };
    case 'unreachable':
      return {
        words: isKept ? t`Offline, kept in this browser` : t`Offline, only in this tab`,
        icon: <IconCloudOff size={size} aria-hidden />,
      };
    case 'conflict':
      return {
        words: plural(conflicts.length, {
          one: 'Not saved: one choice',
          other: 'Not saved: # choices',
        }),
        icon: <IconAlertTriangle size={size} aria-hidden />,
      };
    case 'refused':
      return { words: t`Could not be saved`, icon: <IconAlertTriangle size={size} aria-hidden /> };
  }
}
