/** Beside the name of the product: the search for everything, and the bell. */
import { Trans } from '@lingui/react/macro';
import { Kbd, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useMe } from '../people.ts';
import { KeysHeld } from '../ui/loaded-dialog.tsx';
import { isMac } from './mac.ts';
import classes from './shell.module.css';

/** Nobody needs them before the page is there. */
const PaletteHost = lazy(async () => ({
  default: (await import('./palette/palette-host.tsx')).PaletteHost,
}));
const RunBell = lazy(async () => ({ default: (await import('./bell/run-bell.tsx')).RunBell }));

const isPaletteKey = ({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent) =>
  key.toLowerCase() === 'k' && (isMac ? metaKey : ctrlKey) && !shiftKey && !altKey;

export function Tools() {
  const { data: me } = useMe();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isPaletteKey(event)) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <div className={classes.tools}>
      <button type="button" className={classes.search} onClick={() => setOpen(true)}>
        <IconSearch size={17} stroke={1.8} aria-hidden />
        <span className={classes.word} aria-hidden>
          <Trans>Search</Trans>
        </span>
        <VisuallyHidden>
          <Trans>Search and commands</Trans>
        </VisuallyHidden>
        <Kbd size="xs" aria-hidden className={classes.keys}>
          {isMac ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </button>
      <Suspense>{me && <RunBell me={me} />}</Suspense>
      <Suspense
        fallback={isOpen && <KeysHeld onClose={() => setOpen(false)} isFree={isPaletteKey} />}
      >
        <PaletteHost isOpen={isOpen} onClose={() => setOpen(false)} />
      </Suspense>
    </div>
  );
}
