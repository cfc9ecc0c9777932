/** Actions for the selected rows, in a floating bar. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDownload, IconPencil, IconPlayerPlay, IconTrash, IconX } from '@tabler/icons-react';
import { ButtonLink } from '../../ui/button-link.tsx';
import { plural } from '../../ui/format.ts';
import { isFolder } from './queries.ts';
import classes from './selection-bar.module.css';

type Props = {
  chosen: readonly Cog[];
  onClear: () => void;
  onDownload: () => void;
  onRename: () => void;
  onDelete: () => void;
};

export function SelectionBar({ chosen, onClear, onDownload, onRename, onDelete }: Props) {
  if (chosen.length === 0) return null;
  const [only] = chosen.length === 1 ? chosen : [];
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
      <Tooltip label="Download">
        <ActionIcon
          className={classes.icon}
          onClick={onDownload}
          aria-label="Download"
          disabled={chosen.some(isFolder)}
        >
          <IconDownload size={18} />
        </ActionIcon>
      </Tooltip>
      {only && only.access.level !== 'viewer' && (
        <Tooltip label="Rename">
          <ActionIcon className={classes.icon} onClick={onRename} aria-label="Rename">
            <IconPencil size={18} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label="Delete">
        <ActionIcon
          className={classes.icon}
          onClick={onDelete}
          aria-label="Delete"
          disabled={!chosen.every((cog) => cog.access.can_delete)}
        >
          <IconTrash size={18} />
        </ActionIcon>
      </Tooltip>
      <ButtonLink
        to="/runs/new"
        search={{ files: chosen.map((cog) => cog.id).join(',') }}
        size="sm"
        leftSection={<IconPlayerPlay size={16} />}
      >
        <span>
          Run<span className={classes.more}> workflow</span>…
        </span>
      </ButtonLink>
    </div>
  );
}
