/** One file or folder in the list. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { IconDots, IconDownload, IconInfoCircle, IconPencil, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { HTMLAttributes, MouseEvent } from 'react';
import { FileIcon } from '../../ui/file-icon.tsx';
import { formatSize } from '../../ui/format.ts';
import table from '../../ui/table.module.css';
import { When } from '../../ui/when.tsx';
import type { ActionKind } from './cog-dialogs.tsx';
import classes from './file-row.module.css';
import { isFolder } from './queries.ts';

type Props = {
  cog: Cog;
  isSelected: boolean;
  row: HTMLAttributes<HTMLTableRowElement>;
  onToggle: (isRange: boolean) => void;
  onOpen: () => void;
  onAction: (kind: ActionKind | 'download') => void;
};

const levels = { viewer: 'Viewer', editor: 'Editor', owner: 'Owner' };

export function FileRow({ cog, isSelected, row, onToggle, onOpen, onAction }: Props) {
  return (
    <tr {...row} aria-selected={isSelected}>
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
        {!isFolder(cog) && (
          <Menu.Item leftSection={<IconInfoCircle size={16} />} onClick={() => onAction('details')}>
            Details
          </Menu.Item>
        )}
        {!isFolder(cog) && (
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => onAction('download')}>
            Download
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconPencil size={16} />}
          disabled={cog.access.level === 'viewer'}
          onClick={() => onAction('rename')}
        >
          Rename
        </Menu.Item>
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} />}
          disabled={!cog.access.can_delete}
          onClick={() => onAction('delete')}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
