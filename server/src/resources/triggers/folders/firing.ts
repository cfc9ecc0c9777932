/** Starts runs over files that have arrived: each version of a file in one run at most. */
import type { Db } from '../../../db/connection.ts';
import { DomainError } from '../../../errors.ts';
import { reach, requireAccess } from '../../permissions/access.ts';
import { addFiring } from '../firings/queries.ts';
import { type FolderRow, lockTrigger, readClock } from '../queries.ts';
import {
  asRefusal,
  type FiringServices,
  fireEach,
  noteFiring,
  prepareRun,
  userOf,
} from '../starting.ts';
import {
  endWaiting,
  findReady,
  findWaiting,
  holdVersions,
  retryLater,
  setChain,
  type WaitingFile,
  waitStill,
} from './queries.ts';

/** Files of one run; more wait for the next. */
const mostFiles = 10_000;

/** @returns how many triggers it worked on. */
export async function fireFolders(services: FiringServices, limit = 100): Promise<number> {
  const ready = await findReady(services.db, limit);
  await fireEach(services, ready, (trigger) => fireFolder(services, trigger));
  return ready.length;
}

async function fireFolder(services: FiringServices, trigger: FolderRow): Promise<void> {
  const waiting = await findWaiting(services.db, trigger, mostFiles);
  try {
    const files = await stillThere(services.db, trigger, waiting);
    const wanted = new Set(files);
    const gone = waiting.filter((file) => !wanted.has(file));
    if (files.length === 0) await endWaiting(services.db, trigger, gone);
    else await startMost(services, trigger, files, gone);
  } catch (error) {
    await refuse(services, trigger, asRefusal(error));
  }
}

/**
 * Those that are in the folder, and that the user of the trigger may see.
 *
 * @throws DomainError 403 or 404 for the folder
 */
async function stillThere(
  db: Db,
  trigger: FolderRow,
  waiting: WaitingFile[],
): Promise<WaitingFile[]> {
  const caller = await userOf(db, trigger);
  await requireAccess(db, caller, trigger.folder_id, 'view');
  const ids = [...new Set(waiting.map(({ cog_id }) => cog_id))];
  const reached = await reach(db, caller, ids, trigger.folder_id);
  const seen = new Set(
    reached
      .filter(({ access, parent_id }) => access && isInPlace(trigger, parent_id))
      .map(({ id }) => id),
  );
  return waiting.filter(({ cog_id }) => seen.has(cog_id));
}

const isInPlace = ({ recursive, folder_id }: FolderRow, parentId: number | undefined) =>
  recursive || parentId === folder_id;

/** Of files that together are too much for a run, the first half; the others wait for the next. */
async function startMost(
  services: FiringServices,
  trigger: FolderRow,
  files: WaitingFile[],
  gone: WaitingFile[],
): Promise<void> {
  try {
    await start(services, trigger, files, gone);
  } catch (error) {
    if (files.length === 1 || !isTooMuch(error)) throw error;
    await startMost(services, trigger, files.slice(0, Math.ceil(files.length / 2)), gone);
  }
}

const isTooMuch = (error: unknown) =>
  error instanceof DomainError &&
  error.fields?.some(({ type }) => type === 'too_many_node_runs') === true;

async function start(
  services: FiringServices,
  trigger: FolderRow,
  files: WaitingFile[],
  gone: WaitingFile[],
): Promise<void> {
  const { extra_variables } = trigger;
  const ids = [...new Set(files.map(({ cog_id }) => cog_id))];
  const cog_ids = [...new Set([...trigger.cog_ids, ...ids])];
  const prepared = await prepareRun(services, trigger, { cog_ids, extra_variables });
  await services.db.transaction(async (tx) => {
    const locked = await lockTrigger(tx, trigger, 'skip');
    if (!locked?.enabled || locked.revision !== trigger.revision) return;
    // Another engine may have started them meanwhile.
    if (!(await waitStill(tx, trigger, files))) return;
    // The run takes the bytes of now: of a file with a new version, those, and the old one is past.
    const held = await holdVersions(tx, trigger.tenant_id, ids);
    const { workflow_run_id } = await prepared(tx, { isAlone: false, hasTurn: true });
    await endWaiting(tx, trigger, held, workflow_run_id);
    await endWaiting(tx, trigger, [...files, ...gone]);
    const chain = Math.max(...files.map((file) => file.chain));
    await setChain(tx, trigger, workflow_run_id, chain);
    const tick_at = await readClock(tx);
    await addFiring(tx, trigger, {
      ...{ source: 'files', tick_at, state: 'fired', run_id: workflow_run_id },
    });
    await noteFiring(tx, locked, 'fired');
    services.metrics.firings.inc({ source: 'files', state: 'fired' });
  });
}

/** The files wait on. */
function refuse(
  { db, metrics }: FiringServices,
  trigger: FolderRow,
  { message: reason, code }: DomainError,
): Promise<void> {
  return db.transaction(async (tx) => {
    const locked = await lockTrigger(tx, trigger, 'skip');
    if (!locked?.enabled || locked.revision !== trigger.revision) return;
    const tick_at = await readClock(tx);
    await addFiring(tx, trigger, { source: 'files', tick_at, state: 'refused', reason });
    await noteFiring(tx, locked, 'refused', code);
    metrics.firings.inc({ source: 'files', state: 'refused' });
    await retryLater(tx, trigger);
  });
}
