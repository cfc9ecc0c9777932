/** The keys of the whole builder: undo and redo. Fields keep their own. */
import { useEffect } from 'react';
import { isBehindDialog } from '../../ui/behind-dialog.ts';
import { useUndoing } from './undoing.ts';

export function useEditorKeys() {
  const { undo, redo } = useUndoing();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (isTyping(event.target) || isBehindDialog()) return;
      const key = event.key.toLowerCase();
      const isRedo = (key === 'z' && event.shiftKey) || (key === 'y' && !event.shiftKey);
      if (!isRedo && key !== 'z') return;
      event.preventDefault();
      if (isRedo) redo();
      else undo();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [undo, redo]);
}

/** In a text field these keys take back what was typed. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches(
      'textarea, select, input:not([type="checkbox"], [type="radio"], [type="button"])',
    ));
