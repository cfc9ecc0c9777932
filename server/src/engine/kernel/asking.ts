/**
 * Questions of the kernel. Most decisions need only what is loaded with the run. The others yield a
 * question and resume when the state holds the answer. This keeps the kernel pure, and the
 * questions of many runs are answered together.
 */

/** Ids from `first` to `last`, inclusive. */
export type IdRange = { first: number; last: number };

export type Question =
  /** Begun node runs, into `rows`. */
  | { of: 'rows'; ids: IdRange[] }
  /** The first of the queued node runs within these ids, into `rows`. */
  | { of: 'queued'; ids: IdRange[]; limit: number }
  /** Counters and ids of the run that this one restarts, into `earlier`. */
  | { of: 'earlier' }
  /** Begun node runs of that run, into `earlier.rows`. */
  | { of: 'earlier rows'; ids: IdRange[] }
  /** How many files each port of these node runs has, into `outputCounts`. */
  | { of: 'outputs'; ids: number[] }
  /** The files of an input of the graph, into `laneFiles`; for these lanes, or for all. */
  | { of: 'input files'; name: string; input: string; lanes: number[] | undefined }
  /** The files of one port of a node run, by position, into `laneFiles`. */
  | {
      of: 'output files';
      name: string;
      node_run_id: number;
      port: string;
      lanes: number[] | undefined;
    }
  /** Reserves `count` consecutive node run ids; the first goes into `firstReserved`. */
  | { of: 'ids'; count: number }
  /** The first failure of each node, into `failures`. */
  | { of: 'failures' }
  /** Progress fractions that running node runs reported, into `fractions`. */
  | { of: 'fractions' };

/** A kernel computation that may yield questions. */
export type Asking<Result> = Generator<Question, Result, void>;

/** The smallest ranges that cover these ids; adjacent ids share a range. */
export function rangesOf(ids: readonly number[]): IdRange[] {
  const ranges: IdRange[] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && id <= last.last + 1) last.last = id;
    else ranges.push({ first: id, last: id });
  }
  return ranges;
}
