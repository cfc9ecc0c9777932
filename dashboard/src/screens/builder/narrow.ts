/** Where there is no room for panels beside the view, which are drawers there. */
import { useMediaQuery } from '@mantine/hooks';

export const narrow = '(max-width: 62em)';

export const useIsNarrow = (): boolean =>
  useMediaQuery(narrow, undefined, { getInitialValueInEffect: false });
