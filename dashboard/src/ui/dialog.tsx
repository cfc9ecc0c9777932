/** A dialog. Every one of the dashboard is made of this, so that the focus comes back from each. */
import { Modal, type ModalProps } from '@mantine/core';
import { useReturnFocus } from './return-focus.ts';

export function Dialog(props: ModalProps) {
  useReturnFocus(props.opened);
  // The library's own way back knows nothing of menus, and of dialogs that are drawn opened.
  return <Modal {...props} returnFocus={false} />;
}
