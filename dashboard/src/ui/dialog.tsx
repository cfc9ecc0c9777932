/**
 * The base of every dialog: all take the focus at once, return it when they close, and Escape closes
 * the topmost.
 */
import { Modal, type ModalProps } from '@mantine/core';
import { useReturnFocus } from './return-focus.ts';
import { useTakeFocus } from './take-focus.ts';
import { useIsTopmost } from './topmost.ts';

export function Dialog({ children, ...props }: ModalProps) {
  const { opened, onClose, title, closeOnEscape = true } = props;
  // First, so that what gets the focus back is on top by then, and Escape closes it.
  const isTopmost = useIsTopmost(opened, 'dialog');
  useReturnFocus(opened);
  const last = useTakeFocus(opened, () => closeOnEscape && onClose());
  // The library's own focus return ignores menus, and dialogs that are rendered open.
  return (
    <Modal
      {...props}
      closeOnEscape={closeOnEscape && isTopmost}
      returnFocus={false}
      attributes={{
        // Else the heads of two open dialogs are two banners of the page.
        header: { role: 'presentation' },
        // The library says that the title is the name only after the dialog has the focus.
        content: typeof title === 'string' ? { 'aria-label': title } : {},
      }}
    >
      {children}
      <span ref={last} hidden />
    </Modal>
  );
}
