/**
 * Returns the focus when a dialog closes: to the element that opened it or, if that is gone (a
 * deleted row, a closed bar), to the nearest one still there.
 */
import { useEffect, useInsertionEffect, useRef } from 'react';

/** The element that opened a dialog, and the rows around it. */
type Place = { opener: HTMLElement | null; rows: HTMLElement | null; index: number };

const focusables = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex]';

/**
 * A dialog may open while another closes; then the open one keeps the focus. One that opened the
 * other, such as a drawer, gets it back.
 */
let openDialogs = 0;

/** The last element used outside of menus: a menu item disappears before the dialog opens. */
let lastUsed: HTMLElement | null = null;

for (const type of ['focusin', 'pointerdown']) {
  addEventListener(
    type,
    ({ target }) => {
      const used = target instanceof Element ? target.closest<HTMLElement>(focusables) : null;
      if (used && !isInMenu(used)) lastUsed = used;
    },
    { capture: true },
  );
}

export function useReturnFocus(opened: boolean): void {
  const place = useRef<Place>(undefined);
  // Before a `ref` of the dialog takes the focus.
  useInsertionEffect(() => {
    if (opened) place.current = placeOf(document.activeElement);
  }, [opened]);
  useEffect(() => {
    if (!opened) return;
    const from = place.current;
    openDialogs += 1;
    return () => {
      openDialogs -= 1;
      // After the page has rendered the dialog's changes, and the dialog has released the focus.
      setTimeout(() => {
        if (!from) return;
        const { opener } = from;
        if (openDialogs === 0) returnTo(from)?.focus();
        else if (opener?.closest('[role="dialog"]') && isThere(opener)) opener.focus();
      });
    };
  }, [opened]);
}

export const isInMenu = (element: Element): boolean => element.closest('[role="menu"]') !== null;

function placeOf(active: Element | null): Place {
  const isOpener = active instanceof HTMLElement && active !== document.body && !isInMenu(active);
  const opener = isOpener ? active : lastUsed;
  const row = opener?.closest<HTMLElement>('tr, li, [role="gridcell"]');
  const rows = row?.parentElement ?? null;
  return { opener, rows, index: row && rows ? [...rows.children].indexOf(row) : -1 };
}

function returnTo({ opener, rows, index }: Place): HTMLElement | null {
  if (opener && isThere(opener)) return opener;
  const neighbour = rows?.children[Math.min(index, rows.children.length - 1)];
  return (
    (rows && isThere(rows) && neighbour ? focusableOf(neighbour) : null) ??
    document.querySelector<HTMLElement>('main [data-index][tabindex="0"]') ??
    document.querySelector<HTMLElement>('main h1')
  );
}

const isThere = (element: HTMLElement) =>
  element.isConnected && element.checkVisibility() && !element.matches(':disabled');

/** A focusable row itself, otherwise its first focusable element. */
function focusableOf(row: Element): HTMLElement | null {
  return row.matches('[tabindex]')
    ? (row as HTMLElement)
    : row.querySelector<HTMLElement>(focusables);
}
