/** Actions for the selected rows, in a floating bar: the usual ones, and all in a menu. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { IconDots, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { plural } from '../../ui/format.ts';
import { ActionItems } from './action-items.tsx';
import { type ActionKind, actionsFor, type OnAction } from './actions.ts';
import classes from './selection-bar.module.css';

type Props = { chosen: readonly Cog[]; onClear: () => void; onAction: OnAction };

const usual: readonly ActionKind[] = ['download', 'move', 'delete'];

export function SelectionBar({ chosen, onClear, onAction }: Props) {
  if (chosen.length === 0) return null;
  return (
    <div className={classes.bar} role="toolbar" aria-label="Chosen items">
      <Tooltip label="Choose none">
        <ActionIcon className={classes.icon} onClick={onClear} aria-label="Choose none">
          <IconX size={18} />
        </ActionIcon>
      </Tooltip>
      <span className={classes.count} aria-live="polite">
        {plural(chosen.length, 'item')}
      </span>
      {actionsFor(chosen)
        .filter(({ kind }) => usual.includes(kind))
        .map(({ kind, label, icon: Icon, isAllowed }) => (
          <Tooltip key={kind} label={plain(label)}>
            <ActionIcon
              className={classes.icon}
              onClick={() => onAction(kind, chosen)}
              aria-label={plain(label)}
              disabled={!isAllowed(chosen)}
            >
              <Icon size={18} />
            </ActionIcon>
          </Tooltip>
        ))}
      <Menu position="top-end">
        <Menu.Target>
          <ActionIcon className={classes.icon} aria-label="More actions">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <ActionItems cogs={chosen} onAction={onAction} />
        </Menu.Dropdown>
      </Menu>
      <Button
        size="sm"
        leftSection={<IconPlayerPlay size={16} />}
        onClick={() => onAction('run', chosen)}
      >
        <span>
          Run<span className={classes.more}> workflow</span>…
        </span>
      </Button>
    </div>
  );
}

/** Without the dots that say that a dialog follows. */
const plain = (label: string) => label.replace('…', '');
