/** Asks for the text of a note, and for the steps that it is about. */
import { setNote } from '@cogworks/graph/edit/edits';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { useEditor } from '../editor.ts';
import { NoteSteps } from './note-steps.tsx';

const longest = 5000;

export function NoteDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const editor = useEditor();
  const note = editor.getState().graph.notes?.find((one) => one.id === id);
  const [text, setText] = useState(note?.text ?? '');
  const [keys, setKeys] = useState<readonly string[]>(note?.node_keys ?? []);
  return (
    <Dialog opened onClose={onClose} title={keys.length > 0 ? t`Frame` : t`Note`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          editor.edit(t`Changed a note`, (graph) =>
            setNote(graph, id, {
              text,
              ...(keys.length > 0 || note?.node_keys ? { node_keys: [...keys] } : {}),
            }),
          );
          onClose();
        }}
      >
        <Stack gap="sm">
          <Textarea
            label={t`Text`}
            description={t`**bold**, *italic*, - lists and [links](https://…)`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maxLength={longest}
            autosize
            minRows={3}
            maxRows={12}
            data-autofocus
          />
          <NoteSteps keys={keys} onChange={setKeys} />
        </Stack>
        <Group justify="flex-end" mt="lg" gap="sm">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit">
            <Trans>Save note</Trans>
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
