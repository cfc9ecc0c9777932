/** A box to paste into, where keys do not reach, and what pasting had to leave out. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, List, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { useEditor } from '../editor.ts';
import { paste, placeBelow } from './pasting.ts';
import { type Telling, tellPasted } from './use-copying.ts';

type Props = { telling: Telling; onClose: () => void };

export function PasteDialog({ telling, onClose }: Props) {
  const editor = useEditor();
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<string>();
  return (
    <Dialog opened onClose={onClose} title={t`Paste steps`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const result = paste(editor, text, placeBelow(editor));
          if ('refused' in result) return setRefused(result.refused);
          onClose();
          tellPasted(telling, result);
        }}
      >
        <Textarea
          label={t`Copied steps, as text`}
          value={text}
          error={refused}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setRefused(undefined);
          }}
          rows={6}
          spellCheck={false}
          data-autofocus
        />
        <Group justify="flex-end" mt="lg" gap="sm">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" disabled={text.trim() === ''}>
            <Trans>Paste</Trans>
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

type RemarksProps = { title: string; remarks: readonly string[]; onClose: () => void };

export function RemarksDialog({ title, remarks, onClose }: RemarksProps) {
  return (
    <Dialog opened onClose={onClose} title={title}>
      <List size="sm" spacing={6}>
        {remarks.map((remark) => (
          <List.Item key={remark}>{remark}</List.Item>
        ))}
      </List>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose} data-autofocus>
          <Trans>Close</Trans>
        </Button>
      </Group>
    </Dialog>
  );
}
