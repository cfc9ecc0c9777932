/** Asks once what to do with all files whose names are taken in their folders. */
import type { Taken } from '@cogworks/sdk/upload-announcements';
import { Button, Group, Text } from '@mantine/core';
import { Dialog } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
import { FewNames } from './few-names.tsx';
import type { Question } from './upload-state.ts';

export function TakenDialog({ question }: { question: Question<Taken> | undefined }) {
  if (!question) return null;
  const { paths, answer } = question;
  const isOne = paths.length === 1;
  const title = isOne
    ? 'This file exists already'
    : `${plural(paths.length, 'file')} exist already`;
  return (
    <Dialog opened title={title} onClose={() => answer('skip')}>
      <FewNames names={paths.map((path) => ({ id: path, name: path }))} />
      <Text size="sm" c="dimmed">
        {isOne
          ? 'Keeping both gives the new file a number.'
          : 'Keeping both gives the new files numbers.'}{' '}
        Replacing keeps what was there as an earlier version.
      </Text>
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" px="sm" onClick={() => answer('skip')}>
          Skip
        </Button>
        <Button variant="default" px="sm" onClick={() => answer('replace')}>
          Replace
        </Button>
        <Button px="sm" onClick={() => answer('keep both')} data-autofocus>
          Keep both
        </Button>
      </Group>
    </Dialog>
  );
}
