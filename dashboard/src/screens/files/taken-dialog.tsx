/** Asks once what to do with all files whose names are taken in their folders. */
import type { Taken } from '@cogworks/sdk/upload-announcements';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { Dialog } from '../../ui/dialog.tsx';
import { FewNames } from './few-names.tsx';
import type { Question } from './upload-state.ts';

export function TakenDialog({ question }: { question: Question<Taken> | undefined }) {
  if (!question) return null;
  const { paths, answer } = question;
  const isOne = paths.length === 1;
  const title = isOne
    ? t`This file exists already`
    : plural(paths.length, { one: '# file exists already', other: '# files exist already' });
  return (
    <Dialog opened title={title} onClose={() => answer('skip')}>
      <FewNames names={paths.map((path) => ({ id: path, name: path }))} />
      <Text size="sm" c="dimmed">
        {isOne
          ? t`Keeping both gives the new file a number.`
          : t`Keeping both gives the new files numbers.`}{' '}
        <Trans>Replacing keeps what was there as an earlier version.</Trans>
      </Text>
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" px="sm" onClick={() => answer('skip')}>
          <Trans>Skip</Trans>
        </Button>
        <Button variant="default" px="sm" onClick={() => answer('replace')}>
          <Trans>Replace</Trans>
        </Button>
        <Button px="sm" onClick={() => answer('keep both')} data-autofocus>
          <Trans>Keep both</Trans>
        </Button>
      </Group>
    </Dialog>
  );
}
