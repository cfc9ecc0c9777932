/** The columns of lists of files and folders. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import { isFolder } from '../../cogs.ts';
import { FileIcon } from '../../ui/file-icon.tsx';
import { formatSize } from '../../ui/format.ts';
import { LongName } from '../../ui/long-name.tsx';
import type { Column } from '../../ui/rows/column.ts';
import table from '../../ui/table.module.css';
import { When } from '../../ui/when.tsx';
import classes from './file-cells.module.css';
import { PlaceLink } from './place-link.tsx';

const levels = { viewer: t`Viewer`, editor: t`Editor`, owner: t`Owner` };

/** @param isPlaced says on a phone, which has no other column, where it is. */
const name = (isPlaced: boolean): Column<PlacedCog> => ({
  field: 'name',
  label: t`Name`,
  isSortable: true,
  isNarrow: true,
  cell: (cog, onOpen) => (
    <div className={classes.line}>
      <FileIcon isFolder={isFolder(cog)} mime_type={cog.mime_type} />
      <span className={classes.text}>
        <CogName cog={cog} onOpen={onOpen} />
        <span className={classes.below}>
          {isPlaced ? (
            <PlaceLink above={cog.above} />
          ) : (
            <>
              {cog.size_bytes === undefined ? '' : `${formatSize(cog.size_bytes)} · `}
              <When at={cog.updated_at} />
            </>
          )}
        </span>
      </span>
    </div>
  ),
});

const place: Column<PlacedCog> = {
  field: 'place',
  label: t`Place`,
  width: '26%',
  cell: ({ above }) => <PlaceLink above={above} />,
};

const size: Column<PlacedCog> = {
  field: 'size_bytes',
  label: t`Size`,
  width: 96,
  isSortable: true,
  isRight: true,
  cell: ({ size_bytes }) => (size_bytes === undefined ? '' : formatSize(size_bytes)),
};

const changed: Column<PlacedCog> = {
  field: 'updated_at',
  label: t`Changed`,
  width: 124,
  isSortable: true,
  cell: ({ updated_at }) => <When at={updated_at} />,
};

const access: Column<PlacedCog> = {
  field: 'access',
  label: t`My access`,
  width: 108,
  cell: (cog) => levels[cog.access.level],
};

export const fileColumns = [name(false), size, changed, access];

/** For rows from many folders. */
export const placedColumns = [name(true), place, size, changed];
export const sharedColumns = [name(true), place, size, changed, access];

export function CogName({ cog, onOpen }: { cog: PlacedCog; onOpen: () => void }) {
  if (!isFolder(cog)) {
    return (
      <button type="button" className={classes.open} onClick={onOpen} tabIndex={-1}>
        <LongName name={cog.name} />
      </button>
    );
  }
  return (
    <Link
      to="/files/$folderId"
      params={{ folderId: String(cog.id) }}
      className={table.link}
      tabIndex={-1}
      draggable={false}
    >
      <LongName name={cog.name} />
    </Link>
  );
}
