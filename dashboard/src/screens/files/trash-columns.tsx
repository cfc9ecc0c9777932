/** The columns of the trash. */

import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { FileIcon } from '../../ui/file-icon.tsx';
import { LongName } from '../../ui/long-name.tsx';
import type { Column } from '../../ui/rows/column.ts';
import { When } from '../../ui/when.tsx';
import classes from './file-cells.module.css';
import { PlaceLink } from './place-link.tsx';

const day_ms = 24 * 60 * 60 * 1000;

export const trashColumns = (nameOf: (id: number) => string): Column<TrashedCog>[] => [
  {
    field: 'name',
    label: t`Name`,
    isNarrow: true,
    cell: (cog) => (
      <div className={classes.line}>
        <FileIcon isFolder={cog.cog_type !== 'file'} mime_type={cog.mime_type} />
        <span className={classes.text}>
          <span className={classes.plain}>
            <LongName name={cog.name} />
          </span>
          <span className={classes.below}>
            {nameOf(cog.deleted_by)}, <When at={cog.deleted_at} />
            {cog.above && ' · '}
            <PlaceLink above={cog.above} />
          </span>
        </span>
      </div>
    ),
  },
  {
    field: 'place',
    label: t`From`,
    width: '24%',
    cell: ({ above }) => (above ? <PlaceLink above={above} /> : t`A deleted folder`),
  },
  { field: 'by', label: t`Deleted by`, width: 148, cell: (cog) => nameOf(cog.deleted_by) },
  { field: 'at', label: t`Deleted`, width: 112, cell: (cog) => <When at={cog.deleted_at} /> },
  {
    field: 'until',
    label: t`Days left`,
    width: 84,
    isRight: true,
    cell: ({ expires_at }) =>
      Math.max(0, Math.ceil((Date.parse(expires_at) - Date.now()) / day_ms)),
  },
];
