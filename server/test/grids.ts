/** The grid of a run, and what it has to be by the lists of its node runs and files. */
import { cellCodes } from '@cogworks/graph/statuses';
import { countOf } from '@cogworks/graph/steps';
import type { Client } from './cast.ts';
import { nextOf } from './pages.ts';
import type { Order } from './worker.ts';

const pathOf = (run: number) => `/workflows/workflow-runs/${run}`;

export const grid = (client: Client, run: number, query = '') =>
  client.get(`${pathOf(run)}/grid?${query}`);

/** The pages of the grid, to the last. */
export async function gridPages(client: Client, run: number, query: string) {
  const found: Order[] = [];
  for (let next: string | undefined = `${pathOf(run)}/grid?${query}`; next; ) {
    const { status, body, headers } = await client.get(next);
    if (status !== 200) throw new Error(JSON.stringify(body));
    found.push(body);
    next = nextOf(headers);
  }
  return found;
}

/** `name cells` for each row. */
export const lines = ({ rows }: Order): string[] =>
  rows.map(({ name, cells }: Order) => `${name} ${cells}`);

/** The cells and counts of a run with less than 1,000 node runs, by its other lists. */
export async function listedCells(client: Client, run: number) {
  const { body } = await client.get(`${pathOf(run)}/node-runs?limit=1000`);
  const cells: Record<string, string> = {};
  const counts: Record<string, Record<string, number>> = {};
  for (const nodeRun of body) {
    const code = codeOf(nodeRun);
    cells[`${nodeRun.node_key} ${nodeRun.shard_index ?? 0}`] = code;
    const ofNode = counts[nodeRun.node_key] ?? {};
    counts[nodeRun.node_key] = { ...ofNode, [code]: (ofNode[code] ?? 0) + 1 };
  }
  return { cells, counts };
}

/** The same, by the grid. */
export async function shownCells(client: Client, run: number) {
  const { body } = await grid(client, run, 'limit=1000');
  const cells: Record<string, string> = {};
  for (const { node_key, cell } of body.nodes) if (cell) cells[`${node_key} 0`] = cell;
  for (const row of body.rows) {
    for (const [at, { node_key }] of body.nodes.entries()) {
      if (row.cells[at] !== '-') cells[`${node_key} ${row.shard_index}`] = row.cells[at];
    }
  }
  const counts = Object.fromEntries(
    body.nodes
      .map(({ node_key, counts: of }: Order) => [node_key, of])
      .filter(([, of]: [string, object]) => Object.keys(of).length > 0),
  );
  return { cells, counts };
}

function codeOf({ status, skip_reason, cached }: Order): string {
  if (cached && status === 'success') return cellCodes.reused;
  const ended = countOf(status, skip_reason);
  return cellCodes[(ended ?? status) as keyof typeof cellCodes];
}
