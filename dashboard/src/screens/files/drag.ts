/**
 * Rows can be dragged onto folders, in the list or in the path, which moves them. Browsers tell
 * what is dragged only when it is dropped, so that is kept here meanwhile.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { type DragEvent, useState } from 'react';
import { plural } from '../../ui/format.ts';
import classes from './drag.module.css';

const type = 'application/x-cogworks-files';

let dragged: readonly Cog[] = [];

/** The handlers of a row. @param cogs what is dragged by it. */
export const dragProps = (cogs: () => readonly Cog[]) => ({
  draggable: true,
  onDragStart: ({ dataTransfer }: DragEvent) => {
    dragged = cogs();
    dataTransfer.effectAllowed = 'move';
    dataTransfer.setData(type, '');
    showAs(dataTransfer, dragged);
  },
  onDragEnd: () => {
    dragged = [];
  },
});

/** A small label at the pointer: a picture of the whole row would hide the folders. */
function showAs(transfer: DataTransfer, cogs: readonly Cog[]) {
  const label = document.createElement('div');
  label.className = classes.label ?? '';
  label.textContent = cogs.length === 1 ? (cogs[0]?.name ?? '') : plural(cogs.length, 'item');
  document.body.append(label);
  transfer.setDragImage(label, -12, -8);
  // The browser takes its picture of the label after this event.
  setTimeout(() => label.remove());
}

/**
 * A folder on which what is dragged can be dropped.
 *
 * @param folder undefined for what is not a folder.
 */
export function useDropTarget(
  folder: Cog | undefined,
  onMove: (cogs: readonly Cog[], folder: Cog) => void,
) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    if (!folder || !canDrop(dragged, folder)) return;
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
      if (!folder || !canDrop(dragged, folder)) return;
      event.preventDefault();
      onMove(dragged, folder);
    },
  };
}

const canDrop = (cogs: readonly Cog[], folder: Cog): boolean =>
  cogs.length > 0 &&
  folder.access.can_upload &&
  cogs.every(({ id, parent_id }) => id !== folder.id && parent_id !== folder.id);
