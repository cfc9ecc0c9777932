/**
 * The focus of a dialog that opens. Mantine gives it by a timer, and keys typed before it fires
 * would go to the page: after A, the R of "report" would open the results of a step.
 */
import { type RefCallback, useCallback, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { holdKeys } from './hold-keys.ts';
import { isInMenu } from './return-focus.ts';

/**
 * Gives the focus to what has `data-autofocus` as soon as the dialog is drawn, and keeps the page
 * from getting keys until the focus is there. Mantine's timers focus the same element again.
 *
 * @param onEscape is called by Escape before the focus is there.
 * @returns a `ref` for the last child of the dialog.
 */
export function useTakeFocus(opened: boolean, onEscape: () => void): RefCallback<HTMLElement> {
  const dialog = useRef<HTMLElement>(null);
  const release = useRef<() => void>(undefined);
  const leave = useEffectEvent(onEscape);
  const isHere = useCallback(() => dialog.current?.contains(document.activeElement) ?? false, []);
  useLayoutEffect(() => {
    if (!opened || isHere()) return;
    const arrive = () => {
      if (!isHere()) return false;
      letGo();
      return true;
    };
    // A tab in the background tells of the focus later: then the first key finds it there.
    const letGo = holdKeys({ onEscape: () => leave(), isFree: arrive });
    addEventListener('focusin', arrive);
    release.current = letGo;
    return () => {
      removeEventListener('focusin', arrive);
      letGo();
    };
  }, [opened, isHere]);
  return useCallback(
    (child) => {
      dialog.current = child?.closest<HTMLElement>('[role="dialog"]') ?? null;
      // One that closes before it was drawn is drawn for the time that it fades away.
      if (!opened || !dialog.current) return;
      // A closing menu would take the focus back; Mantine's timer gives it after that.
      if (document.activeElement && isInMenu(document.activeElement)) return;
      const first = dialog.current.querySelector<HTMLElement>('[data-autofocus]');
      if (first && !isHere()) {
        first.focus({ preventScroll: true });
        // What cannot have it must not leave the page without keys.
        if (!isHere()) dialog.current.focus({ preventScroll: true });
      }
      if (isHere()) release.current?.();
    },
    [opened, isHere],
  );
}
