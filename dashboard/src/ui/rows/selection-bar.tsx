/** Actions for the chosen rows, in a floating bar: the usual ones, and all in a menu. */
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { IconDots, IconX } from '@tabler/icons-react';
import { ActionItems } from './action-items.tsx';
import { type Action, type Actions, type OnAction, offeredFor } from './actions.ts';
import type { Selection } from './selection.ts';
import classes from './selection-bar.module.css';

type Props<Row, Kind extends string> = {
  selection: Selection<Row>;
  actions: Actions<Row, Kind>;
  /** Those in the bar itself, as icons. */
  usual: readonly Kind[];
  /** The one with a button. */
  main: Kind;
  onAction: OnAction<Row, Kind>;
};

export function SelectionBar<Row, Kind extends string>(props: Props<Row, Kind>) {
  const { selection, actions, usual, main, onAction } = props;
  const { chosen, rest, onSelect } = selection;
  if (chosen.length === 0) return null;
  const offered = offeredFor(actions, chosen);
  const mainAction = offered.find(({ kind }) => kind === main);
  return (
    <div className={classes.bar} role="toolbar" aria-label={t`Chosen items`}>
      <Tooltip label={t`Choose none`}>
        <ActionIcon
          className={classes.icon}
          onClick={() => onSelect(new Set())}
          aria-label={t`Choose none`}
        >
          <IconX size={18} />
        </ActionIcon>
      </Tooltip>
      <span className={classes.count} aria-live="polite">
        <Plural value={chosen.length} one="# item" other="# items" />
        {rest === 'failed' && (
          <small>
            <Trans>The rest could not be loaded</Trans>
          </small>
        )}
        {rest === 'loading' && (
          <small>
            <Trans>Choosing the rest …</Trans>
          </small>
        )}
      </span>
      {offered
        .filter(({ kind }) => usual.includes(kind))
        .map((action) => (
          <UsualAction key={action.kind} {...props} action={action} />
        ))}
      <Menu position="top-end">
        <Menu.Target>
          <ActionIcon className={classes.icon} aria-label={t`More actions`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <ActionItems actions={actions} rows={chosen} onAction={onAction} />
        </Menu.Dropdown>
      </Menu>
      {mainAction && (
        <Button
          size="sm"
          leftSection={<mainAction.icon size={16} />}
          className={classes.main}
          disabled={!mainAction.isAllowed(chosen)}
          onClick={() => onAction(main, chosen)}
        >
          <span className={classes.label}>{mainAction.label}</span>
        </Button>
      )}
    </div>
  );
}

type UsualProps<Row, Kind extends string> = Props<Row, Kind> & { action: Action<Row, Kind> };

function UsualAction<Row, Kind extends string>(props: UsualProps<Row, Kind>) {
  const { action, selection, onAction } = props;
  const { chosen } = selection;
  // Dots say that a dialog follows, which an icon's name need not.
  const label = action.label.replace('…', '');
  return (
    <Tooltip label={label}>
      <ActionIcon
        className={classes.icon}
        onClick={() => onAction(action.kind, chosen)}
        aria-label={label}
        disabled={!action.isAllowed(chosen)}
      >
        <action.icon size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
