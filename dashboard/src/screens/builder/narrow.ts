/** Where there is no room for panels beside the view, which are drawers there. */
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useIsDialogOpen } from '../../ui/topmost.ts';

export const narrow = '(max-width: 62em)';

/**
 * Stays as it was while a dialog is open, as when a tablet is turned: a drawer would come above the
 * dialog and, with the view or panel that opened it, it would be lost with what was typed.
 */
export function useIsNarrow(): boolean {
  const is = useMediaQuery(narrow, undefined, { getInitialValueInEffect: false });
  const isAsking = useIsDialogOpen();
  const [shown, setShown] = useState(is);
  if (shown !== is && !isAsking) setShown(is);
  return shown;
}
