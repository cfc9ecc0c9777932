/** What changed between two graphs, in words. Pure. */
import type { Change } from '@cogworks/graph/edit/changes';
import { type Told, tellChanges } from '@cogworks/graph/edit/words';
import type { Definitions, Graph } from '@cogworks/graph/types';
import { plural, t } from '@lingui/core/macro';

/** First what the workflow does in another way, then what is drawn in another way. */
export const whatChanged = (
  before: Graph,
  after: Graph,
  changes: readonly Change[],
  definitions: Definitions,
): Told[] =>
  tellChanges(changes, { before, after, definitions }).toSorted(
    (a, b) => Number(a.mark === 'drawn') - Number(b.mark === 'drawn'),
  );

/** Whether anything that runs has changed is what one asks first. */
export function summary(told: readonly Told[]): string {
  if (told.length === 0) return t`Nothing has changed.`;
  if (told.every(({ mark }) => mark === 'drawn')) {
    return t`Layout only: nothing that runs has changed.`;
  }
  return plural(told.length, { one: '# change.', other: '# changes.' });
}
