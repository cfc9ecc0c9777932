/** Asks once what to do with all files whose names are taken in their folders. */
import type { Taken } from '@cogworks/sdk/upload-announcements';
import { Button, Group, List, Text } from '@mantine/core';
import { Dialog } from '../../ui/dialog.tsx';
import { formatCount, plural } from '../../ui/format.ts';
import type { Question } from './upload-state.ts';

const shown = 6;

export function TakenDialog({ question }: { question: Question<Taken> | undefined }) {
  if (!question) return null;
  const { paths, answer } = question;
  const isOne = paths.length === 1;
  const title = isOne
    ? 'This file exists already'
    : `${plural(paths.length, 'file')} exist already`;
  return (
    <Dialog opened title={title} onClose={() => answer('skip')}>
      <List size="sm" mb="md" styles={{ item: { overflowWrap: 'anywhere' } }}>
        {paths.slice(0, shown).map((path) => (
          <List.Item key={path}>{path}</List.Item>
        ))}
        {paths.length > shown && <List.Item>{formatCount(paths.length - shown)} more</List.Item>}
      </List>
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
