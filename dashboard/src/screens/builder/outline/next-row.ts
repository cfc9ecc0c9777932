/** Which row of the list gets the focus when the one that had it is gone. Pure. */

/** Ids as in the selection, in the order in which they are shown. */
export type Rows = { steps: readonly string[]; notes: readonly string[] };

/** What had the focus; without a row, it was among the buttons for what was selected. */
type Focused = { row: string | undefined; selection: ReadonlySet<string> };

/** The same row if it is still there, else the next one below, else above; of its kind if possible. */
export function nextRow(before: Rows, now: Rows, { row, selection }: Focused): string | undefined {
  const all = [...before.steps, ...before.notes];
  const gone = row ?? all.find((id) => selection.has(id)) ?? '';
  const kind = before.steps.includes(gone) ? before.steps : before.notes;
  const at = kind.indexOf(gone);
  if (at === -1) return undefined;
  const left = new Set([...now.steps, ...now.notes]);
  const isLeft = (id: string) => left.has(id);
  return kind.slice(at).find(isLeft) ?? kind.slice(0, at).findLast(isLeft) ?? all.find(isLeft);
}
