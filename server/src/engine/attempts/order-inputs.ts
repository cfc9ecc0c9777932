/**
 * The files named in orders. If there are many, an order names the first ones and its worker reads
 * the others in pages, so that the size of an answer does not grow with the width of a run.
 */
import type { Tag } from '../../db/statement.ts';
import type { RunRow } from '../records.ts';
import { findWantedInputs, findWantedOutputs, type StoredFile } from '../tables/order-files.ts';
import type { InputPlace, WantedFiles } from './inputs.ts';

/** Inputs per answer, over all its orders; each takes a kilobyte at most. */
export const inputsOfAnswer = 500;

/** Edges read per page: most bring a single file, but each may bring a whole page. */
const edgesOfPage = 64;

/** Enough to tell one file from several. */
const twoFiles = 2;

export type Input = Pick<WantedFiles, 'port' | 'cardinality' | 'is_of_lane'> & { file: StoredFile };

/** A node run whose input files are read. */
export type Reader = {
  run: Pick<RunRow, 'id' | 'tenant_id'>;
  wanted: readonly WantedFiles[];
  /** Where to start; undefined: at the first file. */
  start?: InputPlace | undefined;
  /** How many files to name; undefined: all. */
  most?: number | undefined;
};

export type InputPage = {
  inputs: Input[];
  /** Where the next page starts, if there is more. */
  next: InputPlace | undefined;
  /** The first files of every edge: two, if there are as many. Only for a page from the start. */
  heads: Input[];
};

/** What to read for one edge. */
type Part = {
  edge: number;
  from: WantedFiles;
  start: Omit<InputPlace, 'edge'>;
  most: number | undefined;
};

/** The files of all readers, in order. Files that several readers need are read once. */
export async function readInputs(db: Tag, readers: readonly Reader[]): Promise<InputPage[]> {
  const all = readers.map((reader) => partsOf(reader));
  const distinct = new Map<string, Part & Reader['run']>();
  for (const [at, parts] of all.entries()) {
    const { run } = readers[at] as Reader;
    for (const part of parts) {
      const name = nameOf(run, part);
      const known = distinct.get(name);
      const most = known ? mostOf(known.most, part.most) : part.most;
      distinct.set(name, { ...part, ...run, most });
    }
  }
  const found = await findAll(db, distinct);
  return readers.map((reader, at) => pageOf(reader, all[at] as Part[], found));
}

const mostOf = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : Math.max(a, b);

function partsOf({ wanted, start, most }: Reader): Part[] {
  const first = start?.edge ?? 0;
  return wanted.flatMap((from, edge): Part[] => {
    if (edge < first) return [];
    const isOfPage = most === undefined || edge < first + edgesOfPage;
    // Of edges beyond the page, the first page needs only what `{{file.name}}` may refer to.
    if (!isOfPage && start) return [];
    const { node_run_id, position } =
      start && edge === first ? start : { node_run_id: 0, position: 0 };
    const enough = most === undefined ? undefined : isOfPage ? most + 1 : twoFiles;
    return [{ edge, from, start: { node_run_id, position }, most: enough }];
  });
}

/**
 * Equal for parts that read the same files: ten thousand files shared by all lanes are read once.
 */
function nameOf({ id }: Reader['run'], { from, start }: Part): string {
  const { port: _, cardinality: __, is_of_lane: ___, ...files } = from;
  return JSON.stringify([id, files, start]);
}

async function findAll(
  db: Tag,
  distinct: ReadonlyMap<string, Part & Reader['run']>,
): Promise<ReadonlyMap<string, readonly StoredFile[]>> {
  const names = [...distinct.keys()];
  const wanted = [...distinct.values()].map(({ id, tenant_id, from, start, most }, number) => ({
    ...{ ...from, start, most, number, tenant_id },
    run_id: id,
  }));
  const inputs = wanted.filter((one) => one.from === 'input');
  const outputs = wanted.filter((one) => one.from === 'outputs');
  const found = await Promise.all([
    inputs.length > 0 ? findWantedInputs(db, inputs) : [],
    outputs.length > 0 ? findWantedOutputs(db, outputs) : [],
  ]);
  return Map.groupBy(found.flat(), (one) => names[one.wanted] as string);
}

function pageOf(
  { run, wanted, start, most }: Reader,
  parts: readonly Part[],
  found: ReadonlyMap<string, readonly StoredFile[]>,
): InputPage {
  const end = (start?.edge ?? 0) + (most === undefined ? wanted.length : edgesOfPage);
  const heads: Input[] = [];
  const inputs: Input[] = [];
  let next: InputPlace | undefined;
  for (const part of parts) {
    const { port, cardinality, is_of_lane } = part.from;
    const files = found.get(nameOf(run, part)) ?? [];
    for (const file of files.slice(0, part.most)) {
      const input = { port, cardinality, is_of_lane, file };
      heads.push(input);
      if (part.edge >= end || next) continue;
      if (inputs.length === most) next = { edge: part.edge, ...placeOf(file) };
      else inputs.push(input);
    }
  }
  // Edges that were not read may bring more files or none: the worker has to ask for the next page.
  if (!next && end < wanted.length) next = { edge: end, node_run_id: 0, position: 0 };
  return { inputs, next, heads };
}

const placeOf = ({ node_run_id, position }: StoredFile) => ({ node_run_id, position });
