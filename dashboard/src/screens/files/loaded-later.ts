/** Parts of a list that nobody sees at first. */
import { lazy, useEffect } from 'react';

const loading = {
  confirm: () => import('../../ui/confirm.tsx'),
  name: () => import('../../name-dialog.tsx'),
  newFolder: () => import('./new-folder-dialog.tsx'),
  folder: () => import('./folder-dialog.tsx'),
  share: () => import('./sharing/share-dialog.tsx'),
  details: () => import('./details/details-panel.tsx'),
  preview: () => import('./preview/full-preview.tsx'),
};

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

export const Confirm = lazy(async () => ({ default: (await loading.confirm()).Confirm }));
export const NameDialog = lazy(async () => ({ default: (await loading.name()).NameDialog }));
export const NewFolderDialog = lazy(async () => ({
  default: (await loading.newFolder()).NewFolderDialog,
}));
export const FolderDialog = lazy(async () => ({ default: (await loading.folder()).FolderDialog }));
export const ShareDialog = lazy(async () => ({ default: (await loading.share()).ShareDialog }));
export const DetailsPanel = lazy(async () => ({ default: (await loading.details()).DetailsPanel }));
export const FullPreview = lazy(async () => ({ default: (await loading.preview()).FullPreview }));

/** Loads them once the list is shown, so that they open without a pause. */
export function useLoadedLater(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // Asked for again when one opens.
      for (const load of Object.values(loading)) load().catch(() => {});
    }, later_ms);
    return () => clearTimeout(timer);
  }, []);
}

const later_ms = 1000;
