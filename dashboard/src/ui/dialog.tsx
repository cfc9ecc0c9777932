/** The base of every dialog, so that all return the focus when they close. */
import { Modal, type ModalProps } from '@mantine/core';
import { useReturnFocus } from './return-focus.ts';

export function Dialog(props: ModalProps) {
  useReturnFocus(props.opened);
  // The library's own focus return ignores menus, and dialogs that are rendered open.
  return <Modal {...props} returnFocus={false} />;
}
