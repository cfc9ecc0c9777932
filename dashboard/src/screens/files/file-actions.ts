/** What can be done with files and folders. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import {
  IconCopy,
  IconDownload,
  IconFolderSymlink,
  IconInfoCircle,
  IconPencil,
  IconPlayerPlay,
  IconTrash,
  IconUserPlus,
} from '@tabler/icons-react';
import type { Actions } from '../../ui/rows/actions.ts';

export type FileAction =
  | 'run'
  | 'share'
  | 'download'
  | 'move'
  | 'copy'
  | 'rename'
  | 'details'
  | 'origin'
  | 'delete';

const always = () => true;
const isOne = (cogs: readonly Cog[]) => cogs.length === 1;
const mayChange = (cogs: readonly Cog[]) =>
  cogs.every(({ access }) => access.level !== 'viewer' && access.can_upload);
const mayDelete = (cogs: readonly Cog[]) => cogs.every(({ access }) => access.can_delete);

export const fileActions: Actions<Cog, FileAction> = [
  {
    kind: 'run',
    label: t`Run workflow…`,
    icon: IconPlayerPlay,
    isOffered: always,
    isAllowed: always,
  },
  {
    kind: 'share',
    label: t`Share…`,
    icon: IconUserPlus,
    key: 'S',
    isOffered: isOne,
    // Whoever sees something may see who else does.
    isAllowed: always,
  },
  {
    kind: 'download',
    label: t`Download`,
    icon: IconDownload,
    isOffered: always,
    isAllowed: always,
  },
  {
    kind: 'move',
    label: t`Move…`,
    icon: IconFolderSymlink,
    key: 'M',
    isOffered: always,
    isAllowed: mayChange,
  },
  {
    kind: 'copy',
    label: t`Copy…`,
    icon: IconCopy,
    key: 'C',
    isOffered: always,
    isAllowed: always,
  },
  {
    kind: 'rename',
    label: t`Rename…`,
    icon: IconPencil,
    key: 'F2',
    isOffered: isOne,
    isAllowed: mayChange,
  },
  {
    kind: 'details',
    label: t`Details`,
    icon: IconInfoCircle,
    key: 'I',
    isOffered: isOne,
    isAllowed: always,
  },
  {
    kind: 'delete',
    label: t`Delete…`,
    icon: IconTrash,
    key: 'Delete',
    isDanger: true,
    isOffered: always,
    isAllowed: mayDelete,
  },
];
