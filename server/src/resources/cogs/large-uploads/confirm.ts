/**
 * Confirms uploads: their parts become an object, which is read once for its checksum, and then the
 * content of a file.
 *
 *     open ──▶ completing ──▶ done
 *       ▲          │  └─────▶ failed (another checksum than declared)
 *       └──────────┘  any fault that can be corrected
 *     open, completing ─────▶ aborted, expired
 *
 * A confirmation claims its upload for a short time and extends that while it works, so that of
 * several, in all processes, one works and the others wait for its result. It works on when its
 * client has gone. If its process ends, the next confirmation starts again.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Party } from '../../../barrier.ts';
import { Batches } from '../../../batches.ts';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { DomainError, notFound } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { getCog } from '../cogs.ts';
import { checkedName } from '../places/names.ts';
import type { Cog } from '../schema.ts';
import { type Order, openCompletion, type Progress } from './completion.ts';
import { isOpen, type OpenUpload, removeEnded, uploadEnded } from './open-uploads.ts';
import { partsMismatch, readParts } from './part-lists.ts';
import {
  type Claimed,
  claimUploads,
  endClaim,
  findUploads,
  type Renewal,
  renewClaims,
  takeEndedOf,
  type UploadRow,
} from './queries.ts';
import type { Confirmation, Verifying } from './schema.ts';

export type Confirmations = {
  /**
   * Makes the file of an upload, or answers the one that was made. Waits a limited time while the
   * bytes are read.
   *
   * @throws DomainError 404 unless the upload is the caller's; 409 `parts_mismatch`,
   *   `name_collision`, `upload_ended`, `checksum_mismatch`; and others for the folder or the file.
   */
  confirm(caller: Caller, given: Confirmation, options?: ConfirmOptions): Promise<Cog | Verifying>;
  /** Until when one that begins now would wait. */
  deadline(): number;
  /** Stops what is under way; it is started again by the next confirmation. */
  close(): Promise<void>;
};

export type ConfirmOptions = {
  ifMatch?: string | undefined;
  /** By `performance.now()`; of several in one request. */
  deadline?: number;
  /** Where it is in the request, for errors. */
  loc?: (string | number)[];
  party?: Party;
};

/** A confirmation that works in this process. */
type Work = Progress & { result: Promise<Cog> };

/** Statements shared by confirmations that come together. */
const mostTogether = 500;
const firstPause_ms = 20;
const longestPause_ms = 1000;

export function openConfirmations(services: Services): Confirmations {
  const { db, limits } = services;
  const { wait_ms, claim_ms } = limits.uploads;
  const works = new Map<number, Work>();
  const [find, claim] = [openLookUps(db), openClaims(db, claim_ms)];
  const renew = openRenewals(db, claim_ms);
  const make = openCompletion(services);
  const deadline = () => performance.now() + wait_ms;
  let isClosed = false;

  /** Works on the upload, unless a confirmation does already. */
  async function start(order: Order): Promise<Work | undefined> {
    const { id, tenant_id, is_claimed } = order.upload;
    if (works.has(id) || is_claimed || isClosed) return undefined;
    const claimed = { tenant_id, id, claim: randomUUID() };
    if (!(await claim(claimed))) return undefined;
    const progress = { verified_bytes: 0, stopping: new AbortController() };
    const result = whileClaimed(services, renew, claimed, progress, () => make(order, progress))
      .catch((error: unknown) => {
        throw progress.stopping.signal.aborted && !isClosed ? uploadEnded() : error;
      })
      .finally(() => works.delete(id));
    result.catch(() => {});
    const work = Object.assign(progress, { result });
    works.set(id, work);
    return work;
  }

  return {
    deadline,

    confirm: async (
      caller,
      given,
      { ifMatch, deadline: end = deadline(), loc = ['body'], party } = {},
    ) => {
      const parts = readParts(given.parts_json, [...loc, 'parts_json']);
      const name = given.name === undefined ? undefined : checkedName(given.name, [...loc, 'name']);
      let own: Work | undefined;
      for (let pause_ms = firstPause_ms; ; pause_ms = Math.min(longestPause_ms, pause_ms * 2)) {
        const { tenant_id, user_id } = caller;
        const upload = await find(tenant_id, { id: given.upload_id, user_id });
        if (!upload) throw notFound('Upload');
        requireSame(upload, given);
        if (upload.state === 'done') return getCog(db, caller, upload.cog_id ?? 0);
        if (!isOpen(upload)) throw uploadEnded(upload.state);

        const placed = placedAs(upload, given, name);
        const order = { caller, upload: placed, parts, party, ...(ifMatch && { ifMatch }) };
        own = (await start(order)) ?? own;
        // It waits for another confirmation, which may be one of the same request.
        if (!own) party?.leave();
        const work = works.get(upload.id);
        const left_ms = end - performance.now();
        if (left_ms <= 0) {
          const { verified_bytes } = work ?? upload;
          return { state: 'verifying', verified_bytes, file_size: upload.file_size };
        }
        const over = work ? work.result.catch(() => {}) : delay(Math.min(pause_ms, left_ms));
        if ((await within(left_ms, over)) === 'late' || !own) continue;
        const result = await own.result.catch((error: Error) => error);
        if (!(result instanceof Error)) return result;
        // Another process made the file, or the upload was aborted: the next look tells.
        if (!(result instanceof DomainError && result.code === 'upload_ended')) throw result;
      }
    },

    close: async () => {
      isClosed = true;
      const all = [...works.values()];
      for (const { stopping } of all) stopping.abort();
      await Promise.allSettled(all.map(({ result }) => result));
    },
  };
}

/** Looks up uploads of users; those requested together share a statement. */
function openLookUps(db: Db) {
  type Wanted = { id: number; user_id: number };
  const batches = new Batches<number, Wanted, UploadRow | undefined>(
    async (tenantId, wanted) => {
      const rows = new Map((await findUploads(db, tenantId, wanted)).map((row) => [row.id, row]));
      const ownOf = ({ id, user_id }: Wanted) => {
        const row = rows.get(id);
        return row?.user_id === user_id ? row : undefined;
      };
      return wanted.map((one) => ({ result: ownOf(one) }));
    },
    mostTogether,
    'after this moment',
  );
  return (tenantId: number, wanted: Wanted) => batches.add(tenantId, wanted);
}

/** Claims uploads; those requested together share a statement. */
function openClaims(db: Db, claim_ms: number) {
  type Wanted = { id: number; claim: string };
  const batches = new Batches<number, Wanted, boolean>(
    async (tenantId, wanted) => {
      // Of two for one upload, the first is in the statement, which updates a row once.
      const first = new Map(wanted.toReversed().map((one) => [one.id, one]));
      const rows = await claimUploads(db, tenantId, [...first.values()], claim_ms);
      const ids = new Set(rows.map(({ id }) => id));
      return wanted.map((one) => ({ result: ids.has(one.id) && first.get(one.id) === one }));
    },
    mostTogether,
    'after this moment',
  );
  return ({ tenant_id, ...wanted }: Wanted & { tenant_id: number }) =>
    batches.add(tenant_id, wanted);
}

/** Extends claims; those extended together share a statement. */
function openRenewals(db: Db, claim_ms: number) {
  const batches = new Batches<number, Renewal, boolean>(
    async (tenantId, wanted) => {
      const rows = await renewClaims(db, tenantId, wanted, claim_ms);
      const ids = new Set(rows.map(({ id }) => id));
      return wanted.map(({ id }) => ({ result: ids.has(id) }));
    },
    mostTogether,
    'after this moment',
  );
  return ({ tenant_id, ...wanted }: Renewal & { tenant_id: number }) =>
    batches.add(tenant_id, wanted);
}

/**
 * Extends a claim while `work` is done, and ends it if that fails. The transaction that makes the
 * file ends it otherwise.
 */
async function whileClaimed(
  services: Services,
  renew: ReturnType<typeof openRenewals>,
  claimed: Claimed,
  progress: Progress,
  work: () => Promise<Cog>,
): Promise<Cog> {
  const { db, limits } = services;
  const { beat_ms } = limits.uploads;
  const beat = async () => {
    const holds = await renew({ ...claimed, verified_bytes: progress.verified_bytes });
    if (!holds) progress.stopping.abort();
  };
  // The next one makes up for a failed one.
  const timer = setInterval(() => void beat().catch(() => {}), beat_ms);
  try {
    return await work();
  } catch (error) {
    const isWrong = error instanceof DomainError && error.code === 'checksum_mismatch';
    const state = await endClaim(db, claimed, isWrong ? 'failed' : 'open');
    if (state !== undefined && state !== 'open') {
      await removeEnded(services, await takeEndedOf(db, claimed.tenant_id, [claimed.id]));
    }
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/**
 * The storage's id of an upload never selects it; a wrong one shows that the client mixed them up.
 */
function requireSame(upload: UploadRow, given: Confirmation): void {
  const faults: string[] = [];
  if (given.storage_upload_id !== upload.storage_upload_id) {
    faults.push('storage_upload_id is not that of this upload.');
  }
  if (given.file_size !== upload.file_size) {
    faults.push(`This upload was announced with ${upload.file_size} bytes.`);
  }
  if (faults.length > 0) throw partsMismatch(faults);
}

/** The upload, to the folder and with the name given now. A version goes to its file. */
const placedAs = (
  upload: OpenUpload,
  { parent_id }: Confirmation,
  name: string | undefined,
): OpenUpload => ({
  ...upload,
  ...(name === undefined ? {} : { name }),
  ...(upload.cog_id !== undefined || parent_id === undefined ? {} : { parent_id }),
});

async function within(ms: number, work: Promise<unknown>): Promise<'late' | 'over'> {
  const timer = new AbortController();
  const late = delay(ms, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
  const first = await Promise.race([late, work.then(() => 'over' as const)]);
  timer.abort();
  return first;
}
