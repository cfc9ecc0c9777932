/** Parts of a list that nobody sees at first. */
import { type ComponentType, createElement, lazy, useEffect, useState } from 'react';

const loads: (() => Promise<unknown>)[] = [];

/**
 * @returns a component that is drawn at once when it has been loaded by then. React's alone shows
 *   its fallback for 300 ms even so.
 */
function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  const ask = async () => {
    loaded ??= await load();
    return { default: loaded };
  };
  loads.push(ask);
  const Lazy = lazy(ask) as unknown as ComponentType<Props>;
  return function Later(props) {
    const [One] = useState(() => loaded ?? Lazy);
    return createElement(One, props);
  };
}

/** Beside what is shown at once, and in the way of none of it. */
export const FolderRunsButton = lazy(async () => ({
  default: (await import('../../triggers/folder-runs-button.tsx')).FolderRunsButton,
}));

/** Of newcomers alone. */
export const FirstSteps = lazy(async () => ({
  default: (await import('../../starting/first-steps-list.tsx')).FirstSteps,
}));

export const UploadedResults = lazy(async () => ({
  default: (await import('./uploaded-results.tsx')).UploadedResults,
}));

export const Confirm = later(async () => (await import('../../ui/confirm.tsx')).Confirm);
export const NameDialog = later(async () => (await import('../../name-dialog.tsx')).NameDialog);
export const NewFolderDialog = later(
  async () => (await import('./new-folder-dialog.tsx')).NewFolderDialog,
);
export const FolderDialog = later(async () => (await import('./folder-dialog.tsx')).FolderDialog);
export const ShareDialog = later(
  async () => (await import('./sharing/share-dialog.tsx')).ShareDialog,
);
export const DetailsPanel = later(
  async () => (await import('./details/details-panel.tsx')).DetailsPanel,
);
export const FullPreview = later(
  async () => (await import('./preview/full-preview.tsx')).FullPreview,
);

/** Loads them once the list is shown, so that they open without a pause. */
export function useLoadedLater(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // Asked for again when one opens.
      for (const load of loads) load().catch(() => {});
    }, later_ms);
    return () => clearTimeout(timer);
  }, []);
}

const later_ms = 1000;
