/** The keys of the list, as ? shows them. */
import { t } from '@lingui/core/macro';
import type { KeyWords } from '../keys-dialog.tsx';

export const outlineKeys: KeyWords = [
  [['↑', '↓'], t`Go to the next step above or below`],
  [[t`Enter`], t`Open the settings of the step`],
  [[t`Space`], t`Select or leave out`],
  [['A'], t`Add a step behind this one, connected`],
  [['C'], t`Connect this step`],
  [['D'], t`Duplicate this step`],
  [['G'], t`Put this step into a frame`],
  [['T'], t`Test up to this step`],
  [['R'], t`Results of the test`],
  [['F2'], t`Change the title, or the text of a note`],
  [[t`Alt`, '↑↓'], t`Move this step`],
  [[t({ message: 'Delete', context: 'key' })], t`Delete what is selected`],
  [[t`Ctrl`, 'A'], t`Select everything`],
  [[t`Ctrl`, 'C'], t`Copy`],
  [[t`Ctrl`, 'X'], t`Cut`],
  [[t`Ctrl`, 'V'], t`Paste`],
  [[t`Ctrl`, 'Z'], t`Undo`],
  [[t`Ctrl`, 'Y'], t`Redo`],
  [[t`Ctrl`, 'K'], t`Find a step, or a command`],
  [['F8'], t`Go to the next fault`],
  [[t`Esc`], t`Select nothing`],
  [['?'], t`Show this list`],
];
