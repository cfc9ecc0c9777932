/** The items of a menu about rows. */
import { t } from '@lingui/core/macro';
import { Menu } from '@mantine/core';
import classes from './action-items.module.css';
import { type Actions, type OnAction, offeredFor } from './actions.ts';

type Props<Row, Kind extends string> = {
  actions: Actions<Row, Kind>;
  rows: readonly Row[];
  onAction: OnAction<Row, Kind>;
};

export function ActionItems<Row, Kind extends string>(props: Props<Row, Kind>) {
  const { actions, rows, onAction } = props;
  return offeredFor(actions, rows).map((action) => {
    const { kind, label, icon: Icon, key, isDanger, isAllowed } = action;
    return (
      <Menu.Item
        key={kind}
        leftSection={<Icon size={16} />}
        {...(key && {
          rightSection: <span className={classes.key}>{key === 'Delete' ? t`Del` : key}</span>,
          'aria-keyshortcuts': key,
        })}
        {...(isDanger && { c: 'var(--mantine-color-error)' })}
        disabled={!isAllowed(rows)}
        onClick={() => onAction(kind, rows)}
      >
        {label}
      </Menu.Item>
    );
  });
}
