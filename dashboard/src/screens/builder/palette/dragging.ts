/** A definition that is dragged from the palette to the canvas, within this page. */
import type { Addable } from '@cogworks/graph/edit/edits';

const format = 'application/x-cogworks-definition';
let dragged: Addable | undefined;

export function startDragging(data: DataTransfer, definition: Addable): void {
  dragged = definition;
  data.setData(format, String(definition.id));
  data.effectAllowed = 'copy';
}

export function endDragging(): void {
  dragged = undefined;
}

/** While it is dragged only its kind can be seen; what it is, when it is let go. */
export const dropOf = (data: DataTransfer): (() => Addable | undefined) | undefined =>
  data.types.includes(format) ? () => dragged : undefined;
