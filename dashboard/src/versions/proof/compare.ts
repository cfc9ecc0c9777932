/** What two runs over the same files made, file by file, and what failed in them. Pure. */
import type { NodeRun, NodeRunOutput, WorkflowRun } from '@cogworks/sdk/contract.gen';

/** A run that has ended, with all of its files and node runs. */
export type EndedRun = Pick<
  WorkflowRun,
  'id' | 'status' | 'output_folder_id' | 'run_files' | 'node_runs'
>;

/** A file that a step made. Only results are files of the organization, with an id. */
export type Made = Pick<NodeRunOutput, 'name' | 'size_bytes' | 'checksum_sha256'> & {
  cog_id?: number | undefined;
};

export type Row = {
  /** Tells it from all others: samples may share their name. */
  id: string;
  kind: 'differs' | 'only_before' | 'only_now' | 'same';
  node_key: string;
  port: string;
  /** The title of the step. */
  step: string;
  /** The sample it was made of, or its place among the files of an earlier step. */
  lane?: string | undefined;
  before?: Made | undefined;
  now?: Made | undefined;
};

export type Failure = {
  /** As of a row. */
  id: string;
  /** Fails only now, in both, or only before. */
  kind: 'new' | 'both' | 'mended';
  node_key: string;
  step: string;
  lane?: string | undefined;
  reason?: string | undefined;
};

export type Comparison = {
  /** Each result, those that differ first. */
  rows: readonly Row[];
  failures: readonly Failure[];
  /** The first step that gives something else, if that is before the results. */
  begins?: string | undefined;
};

export function compareRuns(before: EndedRun, now: EndedRun): Comparison {
  const rows = comparedFiles(before, now);
  const results = new Set([before, now].flatMap(resultSteps));
  const shown = rows.filter(({ node_key }) => results.has(node_key));
  const first = rows.find(({ kind }) => kind !== 'same');
  return {
    rows: shown.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind)),
    failures: failuresOf(before, now),
    ...(first && !results.has(first.node_key) && { begins: first.step }),
  };
}

const kinds: Row['kind'][] = ['differs', 'only_before', 'only_now', 'same'];

const outputsOf = ({ run_files }: EndedRun) =>
  run_files.filter(({ direction }) => direction === 'output');

const resultSteps = (run: EndedRun) => outputsOf(run).flatMap(({ node_key }) => node_key ?? []);

type Found = { run: NodeRun; port: string; lane: string; made: Made };

/** The files of all steps, in the order of the steps. */
function comparedFiles(before: EndedRun, now: EndedRun): Row[] {
  const [there, here] = [filesByPort(before), filesByPort(now)];
  const names = laneNames(before, now);
  // Those of the draft, which are in topological order, then those that it does not have.
  const ports = new Set([...here.keys(), ...there.keys()]);
  return [...ports].flatMap((port) =>
    pairs(there.get(port) ?? [], here.get(port) ?? []).map(([a, b]) => rowOf(a, b, names)),
  );
}

function filesByPort(run: EndedRun): Map<string, Found[]> {
  const ids = resultIds(run);
  const found = new Map<string, Found[]>();
  for (const one of run.node_runs) {
    for (const { port, name, size_bytes, checksum_sha256 } of one.outputs) {
      const key = JSON.stringify([one.node_key, port]);
      const of = found.get(key) ?? [];
      found.set(key, of);
      const cog_id = ids(one.node_key, checksum_sha256, name);
      const made = { name, size_bytes, checksum_sha256, cog_id };
      of.push({ run: one, port, lane: laneOf(one), made });
    }
  }
  return found;
}

/** A result of a name that is taken got another one in its folder, so its content counts. */
function resultIds(run: EndedRun) {
  const ids = new Map<string, number>();
  // The first of several is written last.
  for (const { node_key, checksum_sha256, name, cog_id } of outputsOf(run).toReversed()) {
    const content = [node_key, checksum_sha256];
    ids.set(JSON.stringify(content), cog_id);
    ids.set(JSON.stringify([...content, name]), cog_id);
  }
  return (...[node_key, checksum, name]: [string, string, string]): number | undefined =>
    ids.get(JSON.stringify([node_key, checksum, name])) ??
    ids.get(JSON.stringify([node_key, checksum]));
}

const laneOf = ({ cog_id, shard_index }: NodeRun): string =>
  cog_id === undefined ? `${shard_index ?? ''}` : `:${cog_id}`;

/** Files that were made in the same place, by lane and name; what is left alone has no partner. */
function pairs(before: readonly Found[], now: readonly Found[]) {
  const left = new Set(before);
  const right = new Set(now);
  const paired = new Map<Found, Found>();
  const places: ((file: Found) => string)[] = [
    ({ lane, made }) => JSON.stringify([lane, made.name]),
    // The step runs over other files now, or no longer once for each.
    ({ made }) => made.name,
    // The file has another name now.
    ({ lane }) => lane,
  ];
  for (const placeOf of places) {
    const there = Map.groupBy(left, placeOf);
    for (const [place, [one, another]] of Map.groupBy(right, placeOf)) {
      const [other, more] = there.get(place) ?? [];
      if (!one || !other || another || more) continue;
      paired.set(one, other);
      right.delete(one);
      left.delete(other);
    }
  }
  return [
    ...now.map((one): [Found | undefined, Found | undefined] => [paired.get(one), one]),
    ...[...left].map((one): [Found | undefined, Found | undefined] => [one, undefined]),
  ];
}

type Names = ReadonlyMap<number | undefined, string>;

function rowOf(before: Found | undefined, now: Found | undefined, names: Names): Row {
  const { run, port, lane } = (now ?? before) as Found;
  return {
    id: JSON.stringify([run.node_key, port, lane, before?.made.name, now?.made.name]),
    kind: kindOf(before?.made, now?.made),
    port,
    ...placeOf(run, names),
    before: before?.made,
    now: now?.made,
  };
}

function kindOf(before: Made | undefined, now: Made | undefined): Row['kind'] {
  if (!before) return 'only_now';
  if (!now) return 'only_before';
  const isSame = before.checksum_sha256 === now.checksum_sha256 && before.name === now.name;
  return isSame ? 'same' : 'differs';
}

function placeOf({ node_key, title, cog_id, shard_index }: NodeRun, names: Names) {
  const number = shard_index === undefined ? undefined : `#${shard_index + 1}`;
  return { node_key, step: title, lane: names.get(cog_id) ?? number };
}

/** The names of the samples. */
const laneNames = (...runs: readonly EndedRun[]): Names =>
  new Map(
    runs.flatMap(({ run_files }) =>
      run_files
        .filter(({ direction }) => direction === 'input')
        .map(({ cog_id, name }) => [cog_id, name]),
    ),
  );

const failureKinds: Failure['kind'][] = ['new', 'both', 'mended'];

function failuresOf(before: EndedRun, now: EndedRun): Failure[] {
  const keyOf = (run: NodeRun) => JSON.stringify([run.node_key, laneOf(run)]);
  const there = new Map(before.node_runs.map((run) => [keyOf(run), run]));
  const names = laneNames(before, now);
  const failures = now.node_runs.flatMap((run): Failure[] => {
    const was = there.get(keyOf(run));
    const place = { id: keyOf(run), ...placeOf(run, names), reason: run.error_message };
    if (run.status === 'failure')
      return [{ kind: was?.status === 'failure' ? 'both' : 'new', ...place }];
    const isMended = was?.status === 'failure' && run.status === 'success';
    return isMended ? [{ kind: 'mended', ...place, reason: was.error_message }] : [];
  });
  return failures.toSorted((a, b) => failureKinds.indexOf(a.kind) - failureKinds.indexOf(b.kind));
}
