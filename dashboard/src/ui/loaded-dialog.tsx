/** Around a dialog that is loaded when it opens. */
import { Trans } from '@lingui/react/macro';
import { VisuallyHidden } from '@mantine/core';
import { type ReactNode, Suspense, useEffect } from 'react';
import { holdKeys } from './hold-keys.ts';

type Props = { children: ReactNode; onClose: () => void };

/** @param props.onClose is called by Escape or the pointer before the dialog is there. */
export const LoadedDialog = ({ children, onClose }: Props) => (
  <Suspense fallback={<KeysHeld onClose={onClose} />}>{children}</Suspense>
);

/** What is typed before a dialog has been loaded must not be keys of the page. */
export function KeysHeld({ onClose }: Omit<Props, 'children'>) {
  useEffect(() => {
    const release = holdKeys(onClose);
    addEventListener('pointerdown', onClose, { capture: true });
    return () => {
      release();
      removeEventListener('pointerdown', onClose, { capture: true });
    };
  });
  return (
    <VisuallyHidden role="status">
      <Trans>Loading …</Trans>
    </VisuallyHidden>
  );
}
