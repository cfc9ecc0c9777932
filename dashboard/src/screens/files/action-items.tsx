/** The items of a menu about files and folders. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Menu } from '@mantine/core';
import classes from './action-items.module.css';
import { actionsFor, type OnAction } from './actions.ts';

type Props = { cogs: readonly Cog[]; onAction: OnAction };

export function ActionItems({ cogs, onAction }: Props) {
  return actionsFor(cogs).map(({ kind, label, icon: Icon, key, isAllowed }) => (
    <Menu.Item
      key={kind}
      leftSection={<Icon size={16} />}
      {...(key && {
        rightSection: <span className={classes.key}>{key === 'Delete' ? 'Del' : key}</span>,
        'aria-keyshortcuts': key,
      })}
      {...(kind === 'delete' && { c: 'var(--mantine-color-error)' })}
      disabled={!isAllowed(cogs)}
      onClick={() => onAction(kind, cogs)}
    >
      {label}
    </Menu.Item>
  ));
}
