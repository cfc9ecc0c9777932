/** Around a dialog that is loaded when it opens. */
import { Trans } from '@lingui/react/macro';
import { Loader, VisuallyHidden } from '@mantine/core';
import { type ReactNode, Suspense, useEffectEvent, useLayoutEffect } from 'react';
import { holdKeys } from './hold-keys.ts';
import classes from './loaded-dialog.module.css';
import { useIsTopmost } from './topmost.ts';

type HeldProps = {
  /** Called by Escape or a click before the dialog is there. */
  onClose: () => void;
  /** Keys that go on. */
  isFree?: (event: KeyboardEvent) => boolean;
};

type Props = Omit<HeldProps, 'isFree'> & { children: ReactNode };

export const LoadedDialog = ({ children, onClose }: Props) => (
  <Suspense fallback={<KeysHeld onClose={onClose} />}>{children}</Suspense>
);

/** What is typed before a dialog has been loaded must not be keys of the page. */
export function KeysHeld({ onClose, isFree = () => false }: HeldProps) {
  const close = useEffectEvent(onClose);
  const goesOn = useEffectEvent(isFree);
  // Else Escape closes the drawer below it too.
  useIsTopmost(true, 'dialog');
  useLayoutEffect(() => {
    const release = holdKeys({ onEscape: () => close(), isFree: (event) => goesOn(event) });
    const click = (event: MouseEvent) => {
      event.stopImmediatePropagation();
      event.preventDefault();
      // The second click of a double click means the dialog.
      if (event.detail < 2) close();
    };
    addEventListener('click', click, { capture: true });
    return () => {
      release();
      removeEventListener('click', click, { capture: true });
    };
  }, []);
  return (
    <div className={classes.loading} role="status">
      <Loader aria-hidden />
      <VisuallyHidden>
        <Trans>Loading …</Trans>
      </VisuallyHidden>
    </div>
  );
}
