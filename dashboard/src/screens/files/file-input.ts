/** Properties of inputs for files that the library does not know. */
import type { MouseEvent } from 'react';

/** A browser reports no change if the same file is chosen again. */
export const anyFile = {
  onClick: ({ currentTarget }: MouseEvent<HTMLInputElement>) => {
    currentTarget.value = '';
  },
};

export const wholeFolder = { ...anyFile, webkitdirectory: '' };
