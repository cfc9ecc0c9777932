/**
 * The focus of a dialog that opens. The library gives it by a timer, and what is typed before it
 * fires would be keys of the page: of A and "report", the R would be a command of the list.
 */
import { type RefCallback, useCallback, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { holdKeys } from './hold-keys.ts';
import { isInMenu } from './return-focus.ts';

/**
 * Gives the focus to what has `data-autofocus` as soon as the dialog is drawn, and keeps the page
 * from getting keys until the focus is there.
 *
 * @param onEscape is called by Escape before the focus is there.
 * @returns a `ref` for the last child of the dialog.
 */
export function useTakeFocus(opened: boolean, onEscape: () => void): RefCallback<HTMLElement> {
  const dialog = useRef<Element>(null);
  const release = useRef<() => void>(undefined);
  const leave = useEffectEvent(onEscape);
  useLayoutEffect(() => {
    const isHere = () => dialog.current?.contains(document.activeElement);
    if (!opened || isHere()) return;
    const letGo = holdKeys(() => leave());
    const arrive = () => isHere() && letGo();
    addEventListener('focusin', arrive);
    release.current = letGo;
    return () => {
      removeEventListener('focusin', arrive);
      letGo();
    };
  }, [opened]);
  return useCallback((child) => {
    dialog.current = child?.closest('[role="dialog"]') ?? null;
    const active = document.activeElement;
    if (!dialog.current || !active) return;
    // A menu that closes would take it back: the library's timer gives it later than that.
    if (isInMenu(active)) return;
    if (!dialog.current.contains(active)) {
      dialog.current.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
    }
    if (dialog.current.contains(document.activeElement)) release.current?.();
  }, []);
}
