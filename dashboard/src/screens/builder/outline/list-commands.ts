/** What the list does as a whole, and with what is selected: for its buttons and the palette. */
import { t } from '@lingui/core/macro';
import {
  IconBoxAlignTopLeft,
  IconHelp,
  IconLayoutDistributeHorizontal,
  IconNote,
  IconPlus,
} from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Command } from '../../../commands/registry.ts';
import { useCommands } from '../../../commands/use-commands.ts';
import { placeBelow } from '../copying/pasting.ts';
import { type Telling, useSelectionCommands } from '../copying/use-copying.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { addNoteAt } from '../edits/adding.ts';
import { placesNow, tidy } from '../edits/placing.ts';
import { selectedKeys } from '../selection.ts';
import { focusStep } from './row-focus.ts';
import type { Opened } from './use-step-actions.ts';

type Open = (opened: Opened) => void;

export function useListTelling(open: Open): Telling {
  const editor = useEditor();
  return useMemo(
    () => ({
      // The notice that is shown is spoken already.
      speak: () => {},
      showRemarks: (title, remarks) => open({ dialog: 'remarks', title, remarks }),
      showPasted: () => {
        const [key] = selectedKeys(editor.getState());
        // After the dialog has given the focus back to what opened it.
        if (key !== undefined) setTimeout(() => focusStep(key));
      },
    }),
    [editor, open],
  );
}

export function useListCommands(open: Open, telling: Telling) {
  const editor = useEditor();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const paste = () => open({ dialog: 'paste' });
  const { copy, changes } = useSelectionCommands(telling, paste);
  /** @param keys of the steps that it is around. */
  const addNote = (keys: readonly string[]) => {
    const [first] = keys;
    const at =
      first === undefined ? placeBelow(editor) : placesNow(editor.getState()).nodes.get(first);
    open({ dialog: 'note', id: addNoteAt(editor, at ?? { x: 0, y: 0 }, keys) });
  };
  const add: Command = {
    ...{ id: 'add step', label: t`Add a step`, words: t`node`, icon: IconPlus },
    run: () => open({ dialog: 'add', after: undefined }),
  };
  const note: Command = {
    ...{ id: 'note', label: t`Add a note`, icon: IconNote, run: () => addNote([]) },
  };
  const hasSteps = useEditorState((state) => selectedKeys(state).length > 0);
  const frame: Command = {
    ...{ id: 'frame', label: t`Frame around what is selected`, icon: IconBoxAlignTopLeft },
    reason: hasSteps ? undefined : t`No step is selected`,
    run: () => addNote(selectedKeys(editor.getState())),
  };
  const tidying: Command = {
    ...{ id: 'tidy', label: t`Tidy`, icon: IconLayoutDistributeHorizontal },
    ...{ words: t`layout order`, about: t`Tidies the canvas`, run: () => tidy(editor) },
  };
  const keys: Command = {
    ...{ id: 'keys', label: t`Keys`, words: t`keyboard shortcuts help`, icon: IconHelp, keys: '?' },
    run: () => open({ dialog: 'keys' }),
  };
  const own = isReadOnly ? [] : [add, note, frame, tidying];
  useCommands([...own, copy, ...changes, keys]);
  const pasting = changes.filter(({ id }) => id === 'paste');
  return {
    note,
    below: [add, ...pasting, keys],
    selected: [
      copy,
      ...(isReadOnly ? [] : [frame]),
      ...changes.filter(({ id }) => id === 'delete'),
    ],
  };
}
