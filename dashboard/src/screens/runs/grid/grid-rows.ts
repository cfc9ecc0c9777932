/**
 * The rows of a run's grid, as far as they were read, updated by events. It holds values alone;
 * grid-reader.ts reads what is missing.
 */
import { noCell } from '@cogworks/graph/statuses';
import type { GridGroup, GridNode, GridRow, RunGrid } from '@cogworks/sdk/contract.gen';
import type { RunEvent } from '@cogworks/sdk/run-events';
import { isOpen, letterOf } from './cells.ts';

/** A row's place: unlike its number, it stays when the rows of an earlier group become known. */
export type Place = { group: number; shard_index: number };

/** More than a run's lanes. */
const groupSize = 2 ** 24;
export const idOf = ({ group, shard_index }: Place): number => group * groupSize + shard_index;
export const placeOf = (id: number): Place => ({
  group: Math.floor(id / groupSize),
  shard_index: id % groupSize,
});

type Kept = GridRow & { isStale: boolean };
type Change = { node_key: string; shard_index: number | undefined; letter: string };

export class GridRows {
  /** Grows with each change, for those who draw. */
  version = 0;
  nodes: readonly GridNode[] = [];
  groups: readonly GridGroup[] = [];
  readonly #rows = new Map<number, Kept>();
  readonly #columns = new Map<string, number>();
  /** Changes that came while something was being read: they may be newer than the answer. */
  #changes: Change[] = [];
  /** What became old meanwhile: the answer may be as old. */
  #olds: ((row: GridRow) => boolean)[] = [];
  #reading = 0;
  #isHeadOld = false;

  /** How many rows there are, read or not. */
  get total(): number {
    return this.groups.reduce((sum, { count = 0 }) => sum + count, 0);
  }

  get hasHead(): boolean {
    return this.nodes.length > 0;
  }

  /** Whether the nodes and groups are to be read again; any read brings them. */
  get isHeadOld(): boolean {
    return this.#isHeadOld;
  }

  get countRead(): number {
    return this.#rows.size;
  }

  row(id: number): GridRow | undefined {
    return this.#rows.get(id);
  }

  columnOf(key: string): number | undefined {
    return this.#columns.get(key);
  }

  /** The ids of all rows, read or not, in the order of their files. */
  *ids(): Generator<number> {
    for (const [group, { count = 0 }] of this.groups.entries()) {
      for (let shard_index = 0; shard_index < count; shard_index++)
        yield idOf({ group, shard_index });
    }
  }

  /** The number of a row in that order: the `offset` from which it can be read. */
  numberOf(id: number): number {
    const { group, shard_index } = placeOf(id);
    const before = this.groups.slice(0, group);
    return before.reduce((sum, { count = 0 }) => sum + count, 0) + shard_index;
  }

  /** The first of these rows that was not read since it became old. */
  firstMissing(ids: Iterable<number>): number | undefined {
    for (const id of ids) {
      const row = this.#rows.get(id);
      if (!row || row.isStale) return id;
    }
    return undefined;
  }

  /** Begins a read. @returns what takes its answer: that is as old as the request. */
  begin(): (grid: RunGrid | undefined) => void {
    this.#reading += 1;
    const from = this.#changes.length;
    const oldsFrom = this.#olds.length;
    return (grid) => {
      if (grid) {
        this.#take(grid, this.#olds.slice(oldsFrom));
        for (const change of this.#changes.slice(from)) this.#apply(change);
        this.version += 1;
      }
      this.#reading -= 1;
      if (this.#reading > 0) return;
      this.#changes = [];
      this.#olds = [];
    };
  }

  #take({ nodes, groups, rows }: RunGrid, olds: readonly ((row: GridRow) => boolean)[]): void {
    this.nodes = nodes;
    this.groups = groups;
    this.#isHeadOld = olds.length > 0;
    this.#columns.clear();
    for (const [at, { node_key }] of nodes.entries()) this.#columns.set(node_key, at);
    for (const row of rows)
      this.#rows.set(idOf(row), { ...row, isStale: olds.some((isOld) => isOld(row)) });
  }

  /** @returns whether a cell has changed, or all that was read is old. */
  takeEvent({ event, data }: RunEvent): boolean {
    if (event === 'reset') this.makeStale(() => true);
    if (event !== 'node_run') return event === 'reset';
    const { node_key, shard_index } = data;
    const change = { node_key, shard_index, letter: letterOf(data) };
    if (this.#reading > 0) this.#changes.push(change);
    const isNew = this.#apply(change);
    if (isNew) this.version += 1;
    return isNew;
  }

  #apply({ node_key, shard_index, letter }: Change): boolean {
    const column = this.#columns.get(node_key);
    const node = column === undefined ? undefined : this.nodes[column];
    if (column === undefined || !node) return false;
    if (shard_index === undefined || node.group === undefined) {
      if (node.cell === letter) return false;
      this.nodes = this.nodes.with(column, { ...node, cell: letter });
      return true;
    }
    const id = idOf({ group: node.group, shard_index });
    const row = this.#rows.get(id);
    if (!row || row.cells[column] === letter) return false;
    const cells = row.cells.slice(0, column) + letter + row.cells.slice(column + 1);
    this.#rows.set(id, { ...row, cells });
    return true;
  }

  /** They are shown as they were until they are read again. */
  makeStale(which: (row: GridRow) => boolean): void {
    this.#isHeadOld = true;
    if (this.#reading > 0) this.#olds.push(which);
    for (const [id, row] of this.#rows) {
      if (which(row)) this.#rows.set(id, { ...row, isStale: true });
    }
    this.version += 1;
  }

  /** After the end: what waited has ended without an event of its own. */
  takeEnd(): void {
    const isOnceOpen = () => this.nodes.some(({ cell }) => cell !== undefined && isOpen(cell));
    this.makeStale((row) => isOnceOpen() || isOpen(row.cells));
  }

  /** Whether any node run belongs to rows: otherwise they are only the names of files. */
  get hasLanes(): boolean {
    return this.nodes.some(({ group }) => group !== undefined);
  }

  /** Cells of nodes that run once for all files. */
  get onceCells(): string {
    return this.nodes.map(({ cell }) => cell ?? noCell).join('');
  }
}
