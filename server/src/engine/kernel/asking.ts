/**
 * Questions of the kernel. Most decisions need nothing but what is loaded with the run; the others
 * yield a question, and go on when the state holds the answer. So the kernel stays pure, and those
 * of many runs are answered together.
 */

/** Ids from `first` to `last`, both among them. */
export type IdRange = { first: number; last: number };

export type Question =
  /** Begun node runs, into `rows`. */
  | { of: 'rows'; ids: IdRange[] }
  /** Counters and ids of the run that this one restarts, into `earlier`. */
  | { of: 'earlier' }
  /** Begun node runs of that run, into `earlier.rows`. */
  | { of: 'earlier rows'; ids: IdRange[] }
  /** How many files each port of these node runs has, into `outputCounts`. */
  | { of: 'outputs'; ids: number[] }
  /** The files of an input of the graph, into `laneFiles`; of these lanes, or all. */
  | { of: 'input files'; name: string; input: string; lanes: number[] | undefined }
  /** The files of one port of a node run, by their place, into `laneFiles`. */
  | {
      of: 'output files';
      name: string;
      node_run_id: number;
      port: string;
      lanes: number[] | undefined;
    }
  /** Ids for so many node runs, which follow one another; the first into `firstReserved`. */
  | { of: 'ids'; count: number }
  /** The first failure of each node, into `failures`. */
  | { of: 'failures' }
  /** What running node runs say of themselves, into `fractions`. */
  | { of: 'fractions' };

/** Work of the kernel that may ask. */
export type Asking<Result> = Generator<Question, Result, void>;

/** Ranges that hold all of these ids; neighbours share one. */
export function rangesOf(ids: readonly number[]): IdRange[] {
  const ranges: IdRange[] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && id <= last.last + 1) last.last = id;
    else ranges.push({ first: id, last: id });
  }
  return ranges;
}
