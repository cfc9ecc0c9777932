/**
 * Which element of the page shows which row of a grid. While one scrolls, the element of a row that
 * has left shows one that has come, and stays where it is in the page: to make it, or to move it
 * among the others, takes longer than all else of a frame. At rest the elements are in the order of
 * their rows, as screen readers read them.
 */

/** @param key stands for an element of the page. */
export type Slot = { key: number; row: number };

export class RowSlots {
  #slots: Slot[] = [];
  #made = 0;

  /** @param rows that are to be shown, in their order. */
  show(rows: readonly number[], isScrolling: boolean): readonly Slot[] {
    const wanted = new Set(rows);
    const shown = new Set(this.#slots.map(({ row }) => row));
    const missing = rows.filter((row) => !shown.has(row)).reverse();
    const slots: Slot[] = [];
    for (const slot of this.#slots) {
      const row = wanted.has(slot.row) ? slot.row : missing.pop();
      if (row !== undefined) slots.push({ key: slot.key, row });
    }
    for (const row of missing.reverse()) slots.push({ key: this.#made++, row });
    this.#slots = isScrolling ? slots : slots.sort((a, b) => a.row - b.row);
    return this.#slots;
  }
}
