/** How many steps and notes there are, in words. */
import { plural } from '@lingui/core/macro';

export const stepsWords = (steps: number) =>
  steps > 0 && plural(steps, { one: '# step', other: '# steps' });
export const notesWords = (notes: number) =>
  notes > 0 && plural(notes, { one: '# note', other: '# notes' });

/** As "2 steps, 1 note"; what there is none of is not named. */
export const stepsAndNotes = (steps: number, notes: number): string =>
  [stepsWords(steps), notesWords(notes)].filter(Boolean).join(', ');
