/**
 * Copy, cut and paste by the browser's events, which work on plain HTTP too. Text that is selected,
 * and fields, keep their own.
 */
import { isCopied } from '@cogworks/graph/edit/clipboard';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { type RefObject, useEffect } from 'react';
import { useEditor } from '../editor.ts';
import { isTyping } from '../keys.ts';
import type { Store } from '../store.ts';
import { type CanvasView, useCanvasView } from './canvas-context.ts';
import { deleteSelected } from './commands.ts';
import { copiedText, type PasteResult, paste, placeBelow } from './pasting.ts';

export function useCopying(frame: RefObject<HTMLElement | null>) {
  const editor = useEditor();
  const view = useCanvasView();
  useEffect(() => {
    const isOurs = (event: ClipboardEvent) => {
      if (event.defaultPrevented || isTyping(document.activeElement)) return false;
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return false;
      const focused = document.activeElement;
      return focused === document.body || (frame.current?.contains(focused) ?? false);
    };
    const onCopy = (event: ClipboardEvent) => {
      const copied = copiedText(editor);
      if (!isOurs(event) || !copied || !event.clipboardData) return;
      if (document.getSelection()?.toString()) return;
      event.preventDefault();
      event.clipboardData.setData('text/plain', copied.text);
      tell(view, copied.words);
      if (event.type === 'cut') deleteSelected(editor);
    };
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (!isOurs(event) || editor.getState().isReadOnly || !isCopied(text)) return;
      event.preventDefault();
      tellPasted(view, paste(editor, text, placeBelow(editor)));
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, [editor, view, frame]);
}

function tell(view: Store<CanvasView>, message: string) {
  view.set({ spoken: message });
  notifications.show({ message });
}

/** With what could not be taken over as it was. */
export function tellPasted(view: Store<CanvasView>, result: PasteResult) {
  if ('refused' in result) {
    view.set({ spoken: result.refused });
    notifications.show({ title: t`Not pasted`, message: result.refused, color: 'red' });
    return;
  }
  const { words, remarks } = result;
  if (remarks.length === 0) return tell(view, words);
  view.set({ asked: { kind: 'remarks', title: words, remarks }, spoken: words });
}
