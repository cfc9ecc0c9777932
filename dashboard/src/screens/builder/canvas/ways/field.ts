/**
 * The cards that wires lead around, found by place: rows of the canvas, and in each row its cards from
 * left to right. A wire looks only at what is near it.
 */
import { type Bend, xOf, yOf } from './bend.ts';

export type Box = { id: string; x: number; y: number; width: number; height: number };

/** A card with the least distance that wires keep from it. */
export type Block = { id: string; left: number; right: number; top: number; bottom: number };

/** The cards at the ends of a wire, which are never in its way. */
export type Ends = { source: string; target: string };

/** No wire comes nearer to a card that is not its own. */
export const clear = 8;

const rowHeight = 128;
const rowOf = (y: number) => Math.floor(y / rowHeight);

export class Field {
  readonly #rows = new Map<number, Block[]>();
  #widest = 0;
  /** How many cards were looked at; for tests. */
  looks = 0;

  constructor(boxes: readonly Box[]) {
    const blocks = boxes.map(blockOf).sort((a, b) => a.left - b.left);
    for (const block of blocks) {
      this.#widest = Math.max(this.#widest, block.right - block.left);
      for (let row = rowOf(block.top); row <= rowOf(block.bottom); row++) {
        const known = this.#rows.get(row);
        if (known) known.push(block);
        else this.#rows.set(row, [block]);
      }
    }
  }

  /** The first card that a horizontal line meets. */
  first(y: number, from: number, to: number, ends: Ends): Block | undefined {
    return this.#find(rowOf(y), from, to, ends, (block) => block.top < y && block.bottom > y);
  }

  /** The last card that a horizontal line meets. */
  last(y: number, from: number, to: number, ends: Ends): Block | undefined {
    let last: Block | undefined;
    this.#find(rowOf(y), from, to, ends, (block) => {
      const isMet = block.top < y && block.bottom > y;
      if (isMet && block.right > (last?.right ?? Number.NEGATIVE_INFINITY)) last = block;
      return false;
    });
    return last;
  }

  /** A card that a bend meets. */
  onBend(bend: Bend, ends: Ends): Block | undefined {
    const [top, bottom] = bend.from < bend.to ? [bend.from, bend.to] : [bend.to, bend.from];
    for (let row = rowOf(top); row <= rowOf(bottom); row++) {
      // Only the part of the bend that is in this row.
      const a = xOf(bend, Math.max(top, row * rowHeight));
      const b = xOf(bend, Math.min(bottom, (row + 1) * rowHeight));
      const isFlat = bottom - top < 1;
      const from = isFlat ? bend.left : Math.min(a, b) - 1;
      const to = isFlat ? bend.right : Math.max(a, b) + 1;
      const met = this.#find(row, from, to, ends, (block) => {
        const one = yOf(bend, Math.max(bend.left, block.left));
        const other = yOf(bend, Math.min(bend.right, block.right));
        return Math.min(one, other) < block.bottom && Math.max(one, other) > block.top;
      });
      if (met) return met;
    }
    return undefined;
  }

  /** How far a horizontal line could be moved up and down, at most by a distance. */
  room(y: number, from: number, to: number, most: number, ends: Ends) {
    let [top, bottom] = [y - most, y + most];
    for (let row = rowOf(top); row <= rowOf(bottom); row++) {
      this.#find(row, from, to, ends, (block) => {
        if (block.bottom <= y) top = Math.max(top, block.bottom);
        else if (block.top >= y) bottom = Math.min(bottom, block.top);
        return false;
      });
    }
    return { top, bottom };
  }

  #find(
    row: number,
    from: number,
    to: number,
    ends: Ends,
    isIt: (block: Block) => boolean,
  ): Block | undefined {
    const blocks = this.#rows.get(row);
    if (!blocks) return undefined;
    for (let at = firstAfter(blocks, from - this.#widest); at < blocks.length; at++) {
      const block = blocks[at];
      if (!block || block.left >= to) return undefined;
      this.looks++;
      if (block.right <= from || block.id === ends.source || block.id === ends.target) continue;
      if (isIt(block)) return block;
    }
    return undefined;
  }
}

const blockOf = ({ id, x, y, width, height }: Box): Block => ({
  id,
  left: x - clear,
  right: x + width + clear,
  top: y - clear,
  bottom: y + height + clear,
});

/** The first whose left is not before a place. */
function firstAfter(blocks: readonly Block[], left: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.left ?? 0) < left) low = middle + 1;
    else high = middle;
  }
  return low;
}
