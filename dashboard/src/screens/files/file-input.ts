/** Properties of inputs for files that the library does not know. */
import type { MouseEvent } from 'react';

/** A browser reports no change if the same file is chosen again. */
export const anyFile = {
  onClick: ({ currentTarget }: MouseEvent<HTMLInputElement>) => {
    currentTarget.value = '';
  },
};

export const wholeFolder = { ...anyFile, webkitdirectory: '' };

/** Asks for files as a button for uploads does. */
export function chooseFiles(onFiles: (files: File[]) => void, { isFolder = false } = {}): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
  input.webkitdirectory = isFolder;
  input.addEventListener('change', () => onFiles([...(input.files ?? [])]));
  input.click();
}
