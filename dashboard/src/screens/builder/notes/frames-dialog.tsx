/** Puts a step into frames, or takes it out of them: those that there are, and a new one. */
import { addNote } from '@cogworks/graph/edit/edits';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { useEditor } from '../editor.ts';
import { newNoteId, noteSize } from '../edits/adding.ts';
import { placesNow } from '../edits/placing.ts';
import { titleOf } from '../step-words.ts';
import { inFrames, isFrame, nameOfNote } from './frames.ts';

type Props = { nodeKey: string; onClose: () => void };

export function FramesDialog({ nodeKey, onClose }: Props) {
  const editor = useEditor();
  const { graph } = editor.getState();
  const frames = (graph.notes ?? []).filter(isFrame);
  const [chosen, setChosen] = useState<string[]>(() =>
    frames.filter(({ node_keys }) => node_keys?.includes(nodeKey)).map(({ id }) => id),
  );
  const [name, setName] = useState('');
  const title = titleOf(graph, nodeKey);
  const save = () => {
    const text = name.trim();
    const position = placesNow(editor.getState()).nodes.get(nodeKey) ?? { x: 0, y: 0 };
    const note = { text, position, size: noteSize, node_keys: [nodeKey] };
    editor.edit(t`Frames around ${title}`, (now) => {
      const put = inFrames(now, nodeKey, new Set(chosen));
      return text === '' ? put : addNote(put, newNoteId(), note);
    });
    onClose();
  };
  return (
    <Dialog opened onClose={onClose} title={t`Frames around ${title}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Stack gap="md">
          {frames.length > 0 && (
            <Checkbox.Group label={t`In these frames`} value={chosen} onChange={setChosen}>
              <Stack gap={8} mt={6}>
                {frames.map((frame) => (
                  <Checkbox key={frame.id} value={frame.id} label={nameOfNote(frame)} />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <TextInput
            label={t`In a new frame`}
            placeholder={t`What its steps have in common`}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={200}
            data-autofocus
          />
        </Stack>
        <Group justify="flex-end" mt="lg" gap="sm">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit">
            <Trans>Save</Trans>
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
