/** What the actions of a note in the list do. */
import { copySelected, type Telling } from '../copying/use-copying.ts';
import { useEditor } from '../editor.ts';
import { useOpenSettings } from '../faults/show-field.ts';
import { noteId } from '../selection.ts';
import { choose } from './choosing.ts';
import type { NoteAction } from './note-keys.ts';
import type { Opened } from './use-step-actions.ts';

export function useNoteActions(open: (opened: Opened) => void, telling: Telling) {
  const editor = useEditor();
  const openSettings = useOpenSettings();
  return (id: string, action: NoteAction): void => {
    switch (action) {
      case 'open':
        editor.select([noteId(id)]);
        openSettings();
        break;
      case 'change':
        open({ dialog: 'note', id });
        break;
      case 'copy':
        editor.select([noteId(id)]);
        void copySelected(editor, telling);
        break;
      case 'keys':
        open({ dialog: 'keys' });
        break;
      default:
        choose(editor, noteId(id), action);
    }
  };
}
