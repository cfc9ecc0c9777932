/**
 * What can be done with files and folders. The one list behind the menu of a row, the menu of a
 * right click, the bar of the selection and the keys.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import {
  IconDownload,
  IconFolderSymlink,
  IconInfoCircle,
  IconPencil,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { isFolder } from './queries.ts';

export type ActionKind = 'run' | 'download' | 'move' | 'rename' | 'details' | 'delete';
export type OnAction = (kind: ActionKind, cogs: readonly Cog[]) => void;

export type Action = {
  kind: ActionKind;
  label: string;
  icon: typeof IconInfoCircle;
  /** The key that does it in a list, as it is written on keyboards. */
  key?: string;
  /** Whether it exists for these at all; otherwise it is left out. */
  isOffered: (cogs: readonly Cog[]) => boolean;
  /** Whether the user may; otherwise it is shown, but disabled. */
  isAllowed: (cogs: readonly Cog[]) => boolean;
};

const always = () => true;
const isOne = (cogs: readonly Cog[]) => cogs.length === 1;
const areFiles = (cogs: readonly Cog[]) => !cogs.some(isFolder);
const mayChange = (cogs: readonly Cog[]) =>
  cogs.every(({ access }) => access.level !== 'viewer' && access.can_upload);
const mayDelete = (cogs: readonly Cog[]) => cogs.every(({ access }) => access.can_delete);

const actions: readonly Action[] = [
  {
    kind: 'run',
    label: 'Run workflow…',
    icon: IconPlayerPlay,
    isOffered: always,
    isAllowed: always,
  },
  {
    kind: 'download',
    label: 'Download',
    icon: IconDownload,
    isOffered: areFiles,
    isAllowed: always,
  },
  {
    kind: 'move',
    label: 'Move…',
    icon: IconFolderSymlink,
    key: 'M',
    isOffered: always,
    isAllowed: mayChange,
  },
  {
    kind: 'rename',
    label: 'Rename…',
    icon: IconPencil,
    key: 'F2',
    isOffered: isOne,
    isAllowed: mayChange,
  },
  {
    kind: 'details',
    label: 'Details',
    icon: IconInfoCircle,
    isOffered: (cogs) => isOne(cogs) && areFiles(cogs),
    isAllowed: always,
  },
  {
    kind: 'delete',
    label: 'Delete…',
    icon: IconTrash,
    key: 'Delete',
    isOffered: always,
    isAllowed: mayDelete,
  },
];

/** What is offered for these, in the order of the menus. */
export const actionsFor = (cogs: readonly Cog[]): readonly Action[] =>
  cogs.length === 0 ? [] : actions.filter(({ isOffered }) => isOffered(cogs));

/** The action of a key, if it is offered for these and the user may do it. */
export function actionOfKey(key: string, cogs: readonly Cog[]): Action | undefined {
  const same = (one: string) => one.toLowerCase() === key.toLowerCase();
  return actionsFor(cogs).find((one) => one.key && same(one.key) && one.isAllowed(cogs));
}
