/** What can be done with the chosen rows, for the palette: by the list of actions that all share. */
import { t } from '@lingui/core/macro';
import type { Command } from '../../commands/registry.ts';
import { type Actions, type OnAction, offeredFor } from './actions.ts';

export const commandsFor = <Row extends { id: number; name: string }, Kind extends string>(
  actions: Actions<Row, Kind>,
  rows: readonly Row[],
  onAction: OnAction<Row, Kind>,
): Command[] =>
  offeredFor(actions, rows).map(({ kind, label, icon, key, isAllowed }) => ({
    ...{ id: `rows ${kind}`, label, icon, keys: key, about: namesOf(rows) },
    reason: isAllowed(rows) ? undefined : t`You may not do this with what is chosen`,
    run: () => onAction(kind, rows),
  }));

function namesOf(rows: readonly { name: string }[]): string {
  const [first] = rows;
  const { length } = rows;
  return length === 1 && first ? first.name : t`${length} chosen items`;
}
