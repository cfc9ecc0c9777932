/**
 * Rows can be dragged onto folders, in the list or in the path, which moves them; files of the
 * computer onto folders of the list, which uploads them. Browsers tell what is dragged only when it
 * is dropped, so rows are kept here meanwhile.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { plural } from '@lingui/core/macro';
import { type DragEvent, useState } from 'react';
import { isFolder } from '../../cogs.ts';
import type { RowDrag } from '../../ui/rows/row-drag.ts';
import classes from './drag.module.css';
import { type Dropped, droppedFiles, hasFiles } from './dropped-files.ts';

const type = 'application/x-cogworks-files';

let dragged: readonly Cog[] = [];

type OnMove = (cogs: readonly Cog[], folder: Cog) => void;
type OnFiles = (folder: Cog, files: readonly Dropped[]) => void;

/** For a list of files and folders. */
export const dragOfFiles = (onMove: OnMove, onFiles: OnFiles): RowDrag<Cog> => ({
  onStart: (transfer, cogs) => {
    dragged = cogs;
    transfer.effectAllowed = 'move';
    transfer.setData(type, '');
    showAs(transfer, cogs);
  },
  onEnd: () => {
    dragged = [];
  },
  effectOn: (target, transfer) => {
    if (hasFiles(transfer)) return mayReceive(target) ? 'copy' : undefined;
    return canDrop(dragged, target) ? 'move' : undefined;
  },
  onDrop: (target, transfer) => {
    if (hasFiles(transfer)) void droppedFiles(transfer).then((files) => onFiles(target, files));
    else onMove(dragged, target);
  },
});

/** A small label at the pointer: a picture of the whole row would hide the folders. */
function showAs(transfer: DataTransfer, cogs: readonly Cog[]) {
  const label = document.createElement('div');
  label.className = classes.label ?? '';
  label.textContent =
    cogs.length === 1
      ? (cogs[0]?.name ?? '')
      : plural(cogs.length, { one: '# item', other: '# items' });
  document.body.append(label);
  transfer.setDragImage(label, -12, -8);
  // The browser takes its picture of the label after this event.
  setTimeout(() => label.remove());
}

/** For a folder that is not in a list. */
export function useDropTarget(folder: Cog, onMove: OnMove) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    if (!canDrop(dragged, folder)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    setOver(true);
  };
  return {
    'data-over': isOver || undefined,
    onDragEnter: over,
    onDragOver: over,
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!canDrop(dragged, folder)) return;
      event.preventDefault();
      onMove(dragged, folder);
    },
  };
}

const mayReceive = (cog: Cog): boolean => isFolder(cog) && cog.access.can_upload;

const canDrop = (cogs: readonly Cog[], folder: Cog): boolean =>
  cogs.length > 0 &&
  mayReceive(folder) &&
  cogs.every(({ id, parent_id }) => id !== folder.id && parent_id !== folder.id);
