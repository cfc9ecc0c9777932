/** Keeps a page open while it shows what is shown nowhere else. */
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';

/**
 * Whoever tries to leave the page while `isOnlyHere` stays and is warned.
 *
 * @returns whether they are warned, and a function that warns whoever tries to close a dialog.
 */
export function useOnlyHere(isOnlyHere: boolean) {
  const [isWarned, setWarned] = useState(false);
  if (isWarned && !isOnlyHere) setWarned(false);
  useBlocker({
    shouldBlockFn: () => {
      setWarned(true);
      return true;
    },
    enableBeforeUnload: isOnlyHere,
    disabled: !isOnlyHere,
  });
  return { isWarned, warn: () => setWarned(true) };
}
