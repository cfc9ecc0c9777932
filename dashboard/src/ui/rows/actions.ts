/**
 * What can be done with the rows of a list. One such list is behind the menu of a row, the menu of
 * a right click, the bar of the chosen rows and the keys.
 */

import type { IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';

export type Action<Row, Kind extends string> = {
  kind: Kind;
  /** With dots at the end if a dialog follows. */
  label: string;
  icon: ComponentType<IconProps>;
  /** The key that does it, as in `KeyboardEvent.key`. */
  key?: string;
  isDanger?: boolean;
  /** Whether it exists for these at all; otherwise it is left out. */
  isOffered: (rows: readonly Row[]) => boolean;
  /** Whether the user may; otherwise it is shown, but disabled. */
  isAllowed: (rows: readonly Row[]) => boolean;
};

export type Actions<Row, Kind extends string> = readonly Action<Row, Kind>[];
export type OnAction<Row, Kind extends string> = (kind: Kind, rows: readonly Row[]) => void;

/** What is offered for these, in the order of the menus. */
export const offeredFor = <Row, Kind extends string>(
  actions: Actions<Row, Kind>,
  rows: readonly Row[],
): Actions<Row, Kind> =>
  rows.length === 0 ? [] : actions.filter(({ isOffered }) => isOffered(rows));

/** The action of a key, if it is offered for these and the user may do it. */
export function actionOfKey<Row, Kind extends string>(
  actions: Actions<Row, Kind>,
  key: string,
  rows: readonly Row[],
): Action<Row, Kind> | undefined {
  const isIts = (action: Action<Row, Kind>) => action.key?.toLowerCase() === key.toLowerCase();
  return offeredFor(actions, rows).find((action) => isIts(action) && action.isAllowed(rows));
}

/** The same, none of which the user may do: for rows that are not all known yet. */
export const notYet = <Row, Kind extends string>(actions: Actions<Row, Kind>): Actions<Row, Kind> =>
  actions.map((action) => ({ ...action, isAllowed: () => false }));
