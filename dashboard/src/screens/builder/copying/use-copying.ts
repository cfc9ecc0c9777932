/**
 * Copy, cut and paste in the canvas and the list: by the browser's events, which work on plain HTTP
 * too, and by commands. Text that is selected, and fields, keep their own.
 */
import { isCopied } from '@cogworks/graph/edit/clipboard';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { IconClipboard, IconCopy, IconTrash } from '@tabler/icons-react';
import { type RefObject, useEffect } from 'react';
import type { Command } from '../../../commands/registry.ts';
import { copyText } from '../../../copy-text.ts';
import { isBehindDialog } from '../../../ui/behind-dialog.ts';
import { type Editor, useEditor, useEditorState } from '../editor.ts';
import { deleteSelected } from '../edits/deleting.ts';
import { isTyping } from '../keys.ts';
import { canCopy, copiedText, type PasteResult, paste, placeBelow } from './pasting.ts';

/** How a view tells what was done. */
export type Telling = {
  /** For screen readers. */
  speak: (words: string) => void;
  /** What pasting could not take over as it was. */
  showRemarks: (title: string, remarks: readonly string[]) => void;
  /** After pasting without remarks. */
  showPasted?: () => void;
};

/** @param telling the same object as long as the view is shown. */
export function useCopying(frame: RefObject<HTMLElement | null>, telling: Telling) {
  const editor = useEditor();
  useEffect(() => {
    const isOurs = (event: ClipboardEvent) => {
      if (event.defaultPrevented || isTyping(document.activeElement)) return false;
      if (isBehindDialog()) return false;
      const focused = document.activeElement;
      return focused === document.body || (frame.current?.contains(focused) ?? false);
    };
    const onCopy = (event: ClipboardEvent) => {
      const copied = copiedText(editor);
      if (!isOurs(event) || !copied || !event.clipboardData) return;
      if (document.getSelection()?.toString()) return;
      event.preventDefault();
      event.clipboardData.setData('text/plain', copied.text);
      tell(telling, copied.words);
      if (event.type === 'cut') deleteSelected(editor, ['node', 'note']);
    };
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (!isOurs(event) || editor.getState().isReadOnly || !isCopied(text)) return;
      event.preventDefault();
      tellPasted(telling, paste(editor, text, placeBelow(editor)));
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, [editor, telling, frame]);
}

/** What a view does with the steps and notes that are selected, and with copied ones. */
export function useSelectionCommands(telling: Telling, onPaste: () => void) {
  const editor = useEditor();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const isNothing = useEditorState(({ selection }) => selection.size === 0);
  const reason = isNothing ? t`Nothing is selected` : undefined;
  const canBeCopied = useEditorState(canCopy);
  const copy: Command = {
    ...{ id: 'copy', label: t`Copy what is selected`, icon: IconCopy, keys: 'Control+C' },
    reason: reason ?? (canBeCopied ? undefined : t`Only steps and notes can be copied`),
    run: () => void copySelected(editor, telling),
  };
  const pasting: Command = {
    ...{ id: 'paste', label: t`Paste…`, words: t`copied steps`, icon: IconClipboard },
    ...{ keys: 'Control+V', run: onPaste },
  };
  const remove: Command = {
    ...{ id: 'delete', label: t`Delete what is selected`, icon: IconTrash, keys: 'Delete', reason },
    run: () => tell(telling, deleteSelected(editor) ?? ''),
  };
  return { copy, changes: isReadOnly ? [] : [pasting, remove] };
}

/** Also where there are no keys for it. */
export async function copySelected(editor: Editor, telling: Telling): Promise<void> {
  const copied = copiedText(editor);
  if (!copied) return;
  if (await copyText(copied.text)) return tell(telling, copied.words);
  notifications.show({ message: t`The browser did not let it be copied.`, color: 'red' });
}

function tell({ speak }: Telling, message: string) {
  if (message === '') return;
  speak(message);
  notifications.show({ message });
}

/** With what could not be taken over as it was. */
export function tellPasted(telling: Telling, result: PasteResult) {
  if ('refused' in result) {
    telling.speak(result.refused);
    notifications.show({ title: t`Not pasted`, message: result.refused, color: 'red' });
    return;
  }
  const { words, remarks } = result;
  if (remarks.length === 0) {
    tell(telling, words);
    return telling.showPasted?.();
  }
  telling.speak(words);
  telling.showRemarks(words, remarks);
}
