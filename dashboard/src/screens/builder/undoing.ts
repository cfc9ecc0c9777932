/** Undo and redo, with a word where they can do nothing. */
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMemo } from 'react';
import { type Editor, useEditor } from './editor.ts';

export function useUndoing(): Pick<Editor, 'undo' | 'redo' | 'goTo'> {
  const editor = useEditor();
  return useMemo(() => {
    const { getState } = editor;
    const told = (isDone: boolean, words: string) => {
      if (!isDone) notifications.show({ message: words });
      return isDone;
    };
    return {
      undo: () => {
        const step = getState().past.at(-1)?.words ?? '';
        return told(editor.undo(), t`Not undone, as it was changed elsewhere since: ${step}.`);
      },
      redo: () => {
        const step = getState().future.at(-1)?.words ?? '';
        return told(editor.redo(), t`Not done again, as it was changed elsewhere since: ${step}.`);
      },
      goTo: (steps) =>
        told(editor.goTo(steps), t`Nothing to go back to: all of it was changed elsewhere since.`),
    };
  }, [editor]);
}
