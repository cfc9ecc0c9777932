/** Keys as they stand on the keyboard. */
import { t } from '@lingui/core/macro';

/** @param keys as in `aria-keyshortcuts`: `Control+Z`. */
export function keyWords(keys: string, isMac: boolean): string {
  const names: Record<string, string> = {
    Control: isMac ? '⌘' : t`Ctrl`,
    Shift: t`Shift`,
    Delete: t({ message: 'Delete', context: 'key' }),
  };
  return keys
    .split('+')
    .map((key) => names[key] ?? key)
    .join(' ');
}
