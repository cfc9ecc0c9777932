/** One file or folder in the list. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { HTMLAttributes, MouseEvent } from 'react';
import { FileIcon } from '../../ui/file-icon.tsx';
import { formatSize } from '../../ui/format.ts';
import table from '../../ui/table.module.css';
import { When } from '../../ui/when.tsx';
import { ActionItems } from './action-items.tsx';
import type { OnAction } from './actions.ts';
import { dragProps, useDropTarget } from './drag.ts';
import classes from './file-row.module.css';
import { isFolder } from './queries.ts';

type Props = {
  cog: Cog;
  isSelected: boolean;
  row: HTMLAttributes<HTMLTableRowElement>;
  onToggle: (isRange: boolean) => void;
  onOpen: () => void;
  onAction: OnAction;
  /** What is moved when the row is dragged. */
  dragged: () => readonly Cog[];
  onMove: (cogs: readonly Cog[], folder: Cog) => void;
};

const levels = { viewer: 'Viewer', editor: 'Editor', owner: 'Owner' };

export function FileRow(props: Props) {
  const { cog, isSelected, row, onToggle, onOpen, onAction, dragged, onMove } = props;
  const drop = useDropTarget(isFolder(cog) ? cog : undefined, onMove);
  return (
    <tr {...row} {...dragProps(dragged)} {...drop} aria-selected={isSelected}>
      <td>
        <Checkbox
          size="xs"
          tabIndex={-1}
          aria-label={`Choose ${cog.name}`}
          checked={isSelected}
          onChange={(event) => onToggle((event.nativeEvent as unknown as MouseEvent).shiftKey)}
        />
      </td>
      <td className={classes.name}>
        <div className={classes.line}>
          <FileIcon isFolder={isFolder(cog)} mime_type={cog.mime_type} />
          <CogName cog={cog} onOpen={onOpen} />
        </div>
      </td>
      <td className={`${table.quiet} ${table.right} ${table.wide}`}>
        {cog.size_bytes === undefined ? '' : formatSize(cog.size_bytes)}
      </td>
      <td className={`${table.quiet} ${table.wide}`}>
        <When at={cog.updated_at} />
      </td>
      <td className={`${table.quiet} ${table.wide}`}>{levels[cog.access.level]}</td>
      <td>
        <RowMenu cog={cog} onAction={onAction} />
      </td>
    </tr>
  );
}

function CogName({ cog, onOpen }: { cog: Cog; onOpen: () => void }) {
  if (isFolder(cog)) {
    return (
      <Link
        to="/files/$folderId"
        params={{ folderId: String(cog.id) }}
        className={`${table.link} ${classes.text}`}
        tabIndex={-1}
        draggable={false}
      >
        {cog.name}
      </Link>
    );
  }
  return (
    <span className={classes.text}>
      <button type="button" className={classes.open} onClick={onOpen} tabIndex={-1}>
        {cog.name}
      </button>
      <span className={classes.below}>
        {cog.size_bytes === undefined ? '' : `${formatSize(cog.size_bytes)} · `}
        <When at={cog.updated_at} />
      </span>
    </span>
  );
}

function RowMenu({ cog, onAction }: Pick<Props, 'cog' | 'onAction'>) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${cog.name}`} tabIndex={-1}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <ActionItems cogs={[cog]} onAction={onAction} />
      </Menu.Dropdown>
    </Menu>
  );
}
