/** Puts the texts of one language into the code of the dashboard as it is built, served or tested. */
import type { Plugin } from 'vite';
import { macroImport, type Translations, textsInPlace } from './macros.ts';

/** For the `plugins` of Vite. @param translations of another language than English. */
export const texts = (translations: Translations = new Map()): Plugin => ({
  name: 'texts',
  // Macros are in the source as it was written.
  enforce: 'pre',
  transform: {
    filter: { id: /\.tsx?$/, code: macroImport },
    handler: (code, id) => textsInPlace(code, id, translations),
  },
});
