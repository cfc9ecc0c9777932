/** The files of a run as clients see them: inputs, their outcomes, and outputs. */
import type { Db } from '../../db/connection.ts';
import type { Plan } from '../../engine/kernel/plan.ts';
import type { RunRow } from '../../engine/records.ts';
import type { Listed, Page } from '../../pages.ts';
import type { Services } from '../../services.ts';
import {
  type Direction,
  type LaneSummary,
  listFileRows,
  type RunFileRow,
  summariseLanes,
  summariseRun,
} from './run-file-queries.ts';
import type { RunFile } from './schema.ts';

/** Files per direction that are included in a run. */
const inlineFiles = 1000;

/** A page of a run's files, of both directions unless one is given. */
export async function listRunFiles(
  { db, rounds }: Pick<Services, 'db' | 'rounds'>,
  run: RunRow,
  direction: Direction | undefined,
  page: Page,
): Promise<Listed<RunFileRow & RunFile>> {
  const { rows, ...rest } = await listFileRows(db, run, direction, page);
  const plan = await rounds.ground.plans.planOf(db, run);
  return { rows: await withOutcomes(db, run, plan, rows), ...rest };
}

type InlineFiles = {
  run_files: RunFile[];
  run_files_total?: { input: number; output: number };
};

/** The first files of a run, and the total if there are more. */
export async function filesOfRun(db: Db, run: RunRow, plan: Plan): Promise<InlineFiles> {
  const page = { offset: 0, limit: inlineFiles + 1, with_total: false };
  const [inputs, outputs] = await Promise.all([
    listFileRows(db, run, 'input', page),
    listFileRows(db, run, 'output', page),
  ]);
  const some = ({ rows }: { rows: RunFileRow[] }) => rows.slice(0, inlineFiles);
  const run_files = await withOutcomes(db, run, plan, [...some(inputs), ...some(outputs)]);
  if (Math.max(inputs.rows.length, outputs.rows.length) <= inlineFiles) return { run_files };
  const totalOf = async (direction: Direction) => {
    const counting = { offset: 0, limit: 0, with_total: true };
    return (await listFileRows(db, run, direction, counting)).total ?? 0;
  };
  const [input, output] = await Promise.all([totalOf('input'), totalOf('output')]);
  return { run_files, run_files_total: { input, output } };
}

/** Adds to each input file the outcome of its lane. */
async function withOutcomes(db: Db, run: RunRow, plan: Plan, files: readonly RunFileRow[]) {
  const ofInputs = Map.groupBy(
    files.filter(({ direction }) => direction === 'input'),
    ({ input_name = '' }) => input_name,
  );
  const outcomes = new Map<number, LaneSummary>();
  for (const [input, of] of ofInputs) {
    const along = plan.nodes.filter(
      ({ domain }) => domain?.kind === 'input' && domain.input === input,
    );
    if (along.length === 0) {
      // An input that no node is mapped over has the outcome of the whole run.
      const all = await summariseRun(db, run);
      for (const { id } of of) outcomes.set(id, all);
      continue;
    }
    const keys = along.map(({ key }) => key);
    const lanes = of.map(({ position = 0 }) => position);
    const summaries = new Map(
      (await summariseLanes(db, run, keys, lanes)).map((row) => [row.lane, row]),
    );
    for (const { id, position = 0 } of of) {
      const summary = summaries.get(position);
      if (summary) outcomes.set(id, summary);
    }
  }
  return files.map((file) =>
    file.direction === 'output' ? file : { ...file, ...fileStatus(outcomes.get(file.id)) },
  );
}

function fileStatus(
  lane: LaneSummary | undefined,
): Pick<RunFileRow, 'status'> & { error_message?: string } {
  if (!lane) return { status: 'pending' };
  if (lane.failures > 0) {
    return {
      status: 'failure',
      ...(lane.error_message === undefined ? {} : { error_message: lane.error_message }),
    };
  }
  if (lane.waiting) return { status: lane.started ? 'processing' : 'pending' };
  if (lane.cancelled > 0) return { status: 'cancelled' };
  return { status: lane.skipped === lane.total && lane.total > 0 ? 'skipped' : 'success' };
}
