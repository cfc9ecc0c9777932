/** What of a grid is chosen, and which node runs run again for it. Pure. */
import { noCell } from '@cogworks/graph/statuses';
import type { ChosenNodeRun, Graph } from '@cogworks/sdk/contract.gen';
import { type GridRows, placeOf } from './grid-rows.ts';

/** Stands for the row of nodes that run once. */
export const onceRow = -1;

/** Whole rows by their ids, and single cells as `id:column`. */
export type Chosen = { rows: ReadonlySet<number>; cells: ReadonlySet<string> };

export const noneChosen: Chosen = { rows: new Set(), cells: new Set() };

export const cellKey = (id: number, column: number): string => `${id}:${column}`;

export const countChosen = ({ rows, cells }: Chosen): number => rows.size + cells.size;

/**
 * The node runs to run again, so that nothing is named that runs again anyway because it depends on
 * another. Of a row in which something failed that, what succeeded before is kept; of any other row
 * all.
 */
export function toRunAgain(rows: GridRows, graph: Graph, chosen: Chosen): ChosenNodeRun[] {
  const columns = new Map<number, Set<number>>();
  const add = (id: number, column: number) => {
    const of = columns.get(id) ?? new Set();
    columns.set(id, of.add(column));
  };
  for (const id of chosen.rows) for (const column of columnsOf(rows, id)) add(id, column);
  for (const key of cellsIn(rows, chosen)) add(...placeOfKey(key));
  const parents = parentsIn(rows, graph);
  return [...columns].flatMap(([id, of]) =>
    [...of]
      .filter((column) => !hasParentIn(column, of, parents))
      .map((column) => ({
        node_key: rows.nodes[column]?.node_key ?? '',
        ...(id === onceRow ? {} : { shard_index: placeOf(id).shard_index }),
      })),
  );
}

/** The chosen rows that were not read yet: what of them would run is unknown. */
export const unreadIn = (rows: GridRows, { rows: ids, cells }: Chosen): number[] => {
  const all = [...ids, ...[...cells].map((key) => Number.parseInt(key, 10))];
  return all.filter((id) => id !== onceRow && rows.row(id) === undefined);
};

/** Of the chosen cells those that are any: a step that runs once has none in the row of a file. */
export const cellsIn = (rows: GridRows, { cells }: Chosen): string[] =>
  [...cells].filter((key) => {
    const [id, column] = placeOfKey(key);
    const row = id === onceRow ? rows.onceCells : rows.row(id)?.cells;
    return row?.[column] !== noCell;
  });

function placeOfKey(key: string): [id: number, column: number] {
  const [id = 0, column = 0] = key.split(':').map(Number);
  return [id, column];
}

function columnsOf(rows: GridRows, id: number): number[] {
  const cells = rows.row(id)?.cells ?? '';
  const all = [...cells].flatMap((letter, column) => (letter === noCell ? [] : [column]));
  const ended = all.filter((column) => /[fcb]/.test(cells[column] ?? ''));
  return ended.length > 0 ? ended : all;
}

function parentsIn(rows: GridRows, { edges }: Graph): Map<number, number[]> {
  const parents = new Map<number, number[]>();
  for (const { from, to } of edges) {
    const [source, target] = [
      rows.columnOf('node' in from ? from.node : ''),
      rows.columnOf(to.node),
    ];
    if (source === undefined || target === undefined) continue;
    parents.set(target, [...(parents.get(target) ?? []), source]);
  }
  return parents;
}

function hasParentIn(
  column: number,
  of: ReadonlySet<number>,
  parents: ReadonlyMap<number, number[]>,
): boolean {
  const seen = new Set<number>();
  const open = [...(parents.get(column) ?? [])];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (of.has(one)) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    open.push(...(parents.get(one) ?? []));
  }
  return false;
}
