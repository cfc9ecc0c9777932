/**
 * Where the keyboard goes when a dialog closes: back to what opened it, or, where that is gone
 * (its row was deleted, its bar was closed), to the nearest thing that is still there.
 */
import { useEffect } from 'react';

/** What opened a dialog, and the rows it stood among. */
type Place = { opener: HTMLElement | null; rows: HTMLElement | null; index: number };

const focusables = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex]';

/** A dialog may open while another closes; then the open one keeps the focus. */
let openDialogs = 0;

/** The last thing used outside of menus: an entry of a menu goes with it before the dialog comes. */
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
  useEffect(() => {
    if (!opened) return;
    const place = placeOf(document.activeElement);
    openDialogs += 1;
    return () => {
      openDialogs -= 1;
      // After the page has drawn what the dialog changed, and the dialog has let go of the focus.
      setTimeout(() => {
        if (openDialogs === 0) returnTo(place)?.focus();
      });
    };
  }, [opened]);
}

const isInMenu = (element: Element) => element.closest('[role="menu"]') !== null;

function placeOf(active: Element | null): Place {
  const isOpener = active instanceof HTMLElement && active !== document.body && !isInMenu(active);
  const opener = isOpener ? active : lastUsed;
  const row = opener?.closest<HTMLElement>('tr, li');
  const rows = row?.parentElement ?? null;
  return { opener, rows, index: row && rows ? [...rows.children].indexOf(row) : -1 };
}

function returnTo({ opener, rows, index }: Place): HTMLElement | null {
  if (opener && isThere(opener)) return opener;
  const neighbour = rows?.children[Math.min(index, rows.children.length - 1)];
  return (
    (rows && isThere(rows) && neighbour ? focusableOf(neighbour) : null) ??
    document.querySelector<HTMLElement>('main tbody tr[tabindex="0"]') ??
    document.querySelector<HTMLElement>('main h1')
  );
}

const isThere = (element: HTMLElement) =>
  element.isConnected && element.checkVisibility() && !element.matches(':disabled');

/** A row that can be walked to takes the focus itself; of another, what is in it. */
function focusableOf(row: Element): HTMLElement | null {
  return row.matches('[tabindex]')
    ? (row as HTMLElement)
    : row.querySelector<HTMLElement>(focusables);
}
