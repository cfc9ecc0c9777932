/** What scrolls in a preview over the whole window gets the focus, so that keys scroll it at once. */
import { type FocusEvent, useCallback } from 'react';

/** For what scrolls. A button that has the focus keeps it. */
export function useFocusWhenShown(size: 'panel' | 'full') {
  return useCallback(
    (element: HTMLElement | null) => {
      if (size === 'full' && element && document.activeElement?.contains(element)) element.focus();
    },
    [size],
  );
}

/** For what is around it, which gets the focus first. */
export function passFocusOn({ target, currentTarget }: FocusEvent<HTMLElement>): void {
  if (target === currentTarget) target.querySelector<HTMLElement>('section[tabindex="0"]')?.focus();
}
