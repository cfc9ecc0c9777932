/** A shell with its small tools, awk that knows UTF-8, and iconv: for texts, tables and checksums. */
import { forPeople, ofScripts, type Recipe } from './recipe.ts';

export const text: Recipe = {
  name: 'text',
  packages: ['busybox-static', 'gawk', 'libc-bin'],
  leave_out: ofScripts,
  remove: forPeople,
  links: {},
  download_mb: 10,
};
