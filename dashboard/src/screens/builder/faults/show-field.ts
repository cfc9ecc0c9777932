/** Leads from a fault, or a link, to a field: selects what it belongs to and gives it the focus. */
import { useCallback } from 'react';
import { useBuilderAddress, useSetAddress } from '../address.ts';
import { useEditor } from '../editor.ts';
import { narrow } from '../narrow.ts';
import type { Place } from './places.ts';

/** The settings may have to be loaded, and a drawer to open. */
const mostFrames = 120;

const focusable = 'input, textarea, select, button, a[href], [tabindex]';

/** Makes the settings visible: opens their drawer, or shows them instead of another panel. */
export function useOpenSettings(): () => void {
  const { panel } = useBuilderAddress();
  const setAddress = useSetAddress();
  return useCallback(() => {
    if (matchMedia(narrow).matches) setAddress({ panel: 'inspector' });
    else if (panel !== undefined && panel !== 'faults') setAddress({ panel: undefined });
  }, [panel, setAddress]);
}

export function useShowField(): (place: Place) => void {
  const editor = useEditor();
  const openSettings = useOpenSettings();
  return useCallback(
    (place) => {
      editor.select(place.id === undefined ? [] : [place.id]);
      openSettings();
      focusWhenThere(place, mostFrames);
    },
    [editor, openSettings],
  );
}

function focusWhenThere(place: Place, frames: number) {
  requestAnimationFrame(() => {
    const field = fieldOf(place);
    const dialog = field?.closest('[role="dialog"]');
    // A drawer takes the focus itself as it opens.
    const isReady = field && (!dialog || dialog.contains(document.activeElement));
    if (isReady) giveFocus(field);
    else if (frames > 0) focusWhenThere(place, frames - 1);
  });
}

/** The field itself, else the nearest one around it. */
function fieldOf({ id = 'workflow', field }: Place): Element | undefined {
  const settings = document.querySelector(`[data-entity="${CSS.escape(id)}"]`);
  if (!settings) return undefined;
  for (let pointer = field; pointer !== ''; pointer = pointer.replace(/\/[^/]*$/, '')) {
    const found = settings.querySelector(`[data-pointer="${CSS.escape(pointer)}"]`);
    if (found) return found;
  }
  return settings;
}

function giveFocus(field: Element) {
  const fields = [...field.querySelectorAll<HTMLElement>(focusable)];
  // The menu of a field stands before it.
  const target = fields.find((one) => one.matches('input, textarea, select')) ?? fields[0];
  const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
  field.scrollIntoView({ block: 'center', behavior: reduced ? 'auto' : 'smooth' });
  target?.focus({ preventScroll: true });
}
