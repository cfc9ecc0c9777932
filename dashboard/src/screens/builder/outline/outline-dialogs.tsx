/** What the list asks. Only one thing at a time. */
import { t } from '@lingui/core/macro';
import { AddStepDialog } from '../connections/add-step-dialog.tsx';
import { ConnectDialog } from '../connections/connect-dialog.tsx';
import { PasteDialog, RemarksDialog } from '../copying/paste-dialog.tsx';
import type { Telling } from '../copying/use-copying.ts';
import { KeysDialog } from '../keys-dialog.tsx';
import { FramesDialog } from '../notes/frames-dialog.tsx';
import { NoteDialog } from '../notes/note-dialog.tsx';
import { outlineKeys } from './outline-keys.ts';
import type { Opened } from './use-step-actions.ts';

type Props = {
  opened: Opened | undefined;
  telling: Telling;
  onClose: () => void;
  /** @param key of a step that was added, which takes the focus. */
  onAdded: (key: string) => void;
};

export function OutlineDialogs({ opened, telling, onClose, onAdded }: Props) {
  switch (opened?.dialog) {
    case undefined:
      return null;
    case 'add':
      return <AddStepDialog after={opened.after} onClose={onClose} onAdded={onAdded} />;
    case 'from':
      return <ConnectDialog from={opened.from} onClose={onClose} />;
    case 'to':
      return <ConnectDialog to={opened.to} onClose={onClose} />;
    case 'note':
      return <NoteDialog id={opened.id} onClose={onClose} />;
    case 'frames':
      return <FramesDialog nodeKey={opened.key} onClose={onClose} />;
    case 'paste':
      return <PasteDialog telling={telling} onClose={onClose} />;
    case 'remarks':
      return <RemarksDialog title={opened.title} remarks={opened.remarks} onClose={onClose} />;
    case 'keys':
      return <KeysDialog title={t`Keys of the list`} keys={outlineKeys} onClose={onClose} />;
  }
}
