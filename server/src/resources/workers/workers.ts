/** Workers: machines that enrol, and who may see and control them. */
import { createHash, randomBytes } from 'node:crypto';
import type { Caller, WorkerCaller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Reading } from '../../db/remembered.ts';
import { leaseSeconds } from '../../engine/tables/attempts.ts';
import { badField, DomainError, forbidden, notFound, unauthenticated } from '../../errors.ts';
import type { Page } from '../../pages.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { groundOf, nameOf, rememberCallers } from '../auth/remembered-callers.ts';
import {
  addEnrollmentToken,
  addWorker,
  countWorkers,
  findEnrollmentToken,
  findWorker,
  findWorkerByToken,
  listWorkerRows,
  removeWorker,
  type ShownWorker,
  setDesiredState,
  tellOfWorker,
  updateWorker,
  useEnrollmentToken,
} from './queries.ts';
import type { NewWorker } from './schema.ts';
import { standingOf, superseded } from './standing.ts';

/** Below the limit of 30 per minute; a cancel reaches a container within three seconds. */
export const heartbeatSeconds = 3;

/**
 * @returns a token that enrols one worker. Tenant admins create them for their tenant, platform
 * admins for all.
 */
export async function createEnrollmentToken(
  db: Db,
  caller: Caller,
  scope: 'tenant' | 'platform',
  seconds: number,
): Promise<{ id: number; enrollment_token: string; scope: string; expires_at: string }> {
  if (caller.role !== 'admin') throw forbidden('Only administrators may enrol workers.');
  if (scope === 'platform' && !caller.is_platform_admin) {
    throw forbidden('Only platform administrators may enrol workers that everybody uses.');
  }
  return db.transaction(async (tx) => {
    const made = await newEnrollmentToken(
      tx,
      scope === 'platform' ? null : caller.tenant_id,
      caller.user_id,
      seconds,
    );
    await recordEvent(tx, caller, {
      action: 'worker.enrollment_token_created',
      target_type: 'worker',
      details: { scope },
    });
    return { ...made, scope };
  });
}

/** For a tenant's worker, or with null for the platform's; the server's own worker uses it too. */
export async function newEnrollmentToken(
  db: Db,
  tenantId: number | null,
  userId: number | null,
  seconds: number,
) {
  const token = `wet_${randomBytes(32).toString('base64url')}`;
  const made = await addEnrollmentToken(db, tenantId, userId, hashOf(token), seconds);
  return { ...made, enrollment_token: token };
}

export type Enrolled = {
  id: number;
  worker_token: string;
  heartbeat_interval_seconds: number;
  lease_ttl_seconds: number;
};

/**
 * @param address where the call comes from.
 * @throws DomainError 401 `enrollment_token_refused` for a token that is unknown, used or expired.
 */
export function enrollWorker(db: Db, worker: NewWorker, address: string): Promise<Enrolled> {
  const { enrollment_token } = worker;
  if (enrollment_token === undefined) {
    throw badField(
      'enrollment_token',
      'This field is required without a Bearer token.',
      'required',
    );
  }
  return db.transaction(async (tx) => {
    const token = await useEnrollmentToken(tx, hashOf(enrollment_token));
    if (!token) throw refusedToken(await findEnrollmentToken(tx, hashOf(enrollment_token)));
    const enrolled = await addEnrolled(tx, token.tenant_id ?? null, worker, token.id);
    const { id: enrollment_token_id, told_tenant_id: tenant_id, created_by: token_by } = token;
    // Of a token that the server made for itself, nobody has to be told.
    if (tenant_id !== undefined) {
      await recordEvent(
        tx,
        { tenant_id },
        {
          action: 'worker.enrolled',
          target_type: 'worker',
          target_id: enrolled.id,
          details: { name: worker.name, address, enrollment_token_id, token_by },
        },
      );
    }
    return enrolled;
  });
}

/** The reason may be told: only a holder of the token can present it. */
function refusedToken(token: Awaited<ReturnType<typeof findEnrollmentToken>>) {
  const why = !token
    ? 'This enrolment token is unknown here.'
    : token.used_at !== undefined
      ? `This enrolment token was used at ${token.used_at}; each enrols one worker.`
      : token.is_backed
        ? `This enrolment token has expired at ${token.expires_at}.`
        : 'Whoever made this enrolment token is no administrator any more.';
  return new DomainError('unauthenticated', `${why} Make a new one.`, {
    code: 'enrollment_token_refused',
  });
}

/** An admin may enrol a worker of the tenant directly. */
export async function enrollWorkerOf(db: Db, caller: Caller, worker: NewWorker): Promise<Enrolled> {
  if (caller.role !== 'admin') throw forbidden('Only administrators may enrol workers.');
  return db.transaction(async (tx) => {
    const enrolled = await addEnrolled(tx, caller.tenant_id, worker);
    await recordEvent(tx, caller, {
      action: 'worker.enrolled',
      target_type: 'worker',
      target_id: enrolled.id,
      details: { name: worker.name },
    });
    return enrolled;
  });
}

async function addEnrolled(
  tx: Db,
  tenantId: number | null,
  { name, labels = [], capacity, features = ['egress'], version = '' }: NewWorker,
  enrollment_token_id?: number,
) {
  const worker_token = `wkt_${randomBytes(32).toString('base64url')}`;
  const id = await addWorker(
    tx,
    tenantId,
    { name, labels, capacity, features, version, enrollment_token_id },
    hashOf(worker_token),
  );
  await tellOfWorker(tx, id, leaseSeconds);
  return {
    id,
    worker_token,
    heartbeat_interval_seconds: heartbeatSeconds,
    lease_ttl_seconds: leaseSeconds,
  };
}

/**
 * Returns the check of worker tokens, which finds the worker and its process: `wkt_…`, or `wkt_….7`
 * for epoch 7. `late`: a replaced process is accepted too.
 *
 * The check throws DomainError `unauthenticated`, 409 `superseded`.
 */
export function authenticateWorkers({ quickDb, notices }: Pick<Services, 'quickDb' | 'notices'>) {
  const callers = rememberCallers<WorkerCaller>(notices);
  return async (credential: string, { late = false } = {}): Promise<WorkerCaller> => {
    const [, token, digits] = /^(wkt_[\w-]+)(?:\.([1-9]\d{0,14}))?$/.exec(credential) ?? [];
    if (token === undefined) throw unauthenticated();
    const epoch = digits === undefined ? undefined : Number(digits);
    const caller = await callers.get(nameOf(credential), () =>
      readCaller(quickDb, token, epoch, late),
    );
    if (!caller) throw unauthenticated();
    return caller;
  };
}

async function readCaller(
  db: Db,
  token: string,
  epoch: number | undefined,
  late: boolean,
): Promise<Reading<WorkerCaller> | undefined> {
  const worker = await findWorkerByToken(db, hashOf(token), leaseSeconds);
  const standing = worker && standingOf(worker, epoch);
  if (!worker || standing === 'unknown') return undefined;
  if (standing === 'superseded' && !late) throw superseded();
  return {
    value: { id: worker.id, epoch },
    grounds: [groundOf.worker(worker.id)],
    // A process that may call only while another is silent, or only late, is looked up each time.
    good_for_ms: worker.epoch === epoch ? Number.POSITIVE_INFINITY : 0,
  };
}

export const countWorkersByStatus = (db: Db) => countWorkers(db, leaseSeconds);

/** The connected workers that work for a tenant; of very many, some. */
export async function workersFor(db: Db, tenantId: number): Promise<ShownWorker[]> {
  const page = { offset: 0, limit: 1000, with_total: false };
  const { rows } = await listWorkerRows(db, tenantId, leaseSeconds, page);
  return rows.filter(({ status }) => status === 'online');
}

export async function listWorkers(db: Db, caller: Caller, page: Page) {
  return listWorkerRows(db, caller.tenant_id, leaseSeconds, page);
}

export async function getWorker(db: Db, caller: Caller, id: number): Promise<ShownWorker> {
  const worker = await findWorker(db, caller.tenant_id, id, leaseSeconds);
  if (!worker || (worker.tenant_id !== undefined && worker.tenant_id !== caller.tenant_id)) {
    throw notFound('Worker');
  }
  return worker;
}

export async function changeWorker(
  db: Db,
  caller: Caller,
  id: number,
  changes: { name?: string; labels?: string[] },
) {
  return db.transaction(async (tx) => {
    await requireSteering(tx, caller, id);
    await updateWorker(tx, id, changes);
    await tellOfWorker(tx, id, leaseSeconds);
    return getWorker(tx, caller, id);
  });
}

/** `draining`: takes no new work, and finishes what it has. */
export async function steerWorker(
  db: Db,
  caller: Caller,
  id: number,
  state: 'active' | 'draining',
) {
  return db.transaction(async (tx) => {
    await requireSteering(tx, caller, id);
    await setDesiredState(tx, id, state);
    await tellOfWorker(tx, id, leaseSeconds);
    return getWorker(tx, caller, id);
  });
}

/** Its token becomes invalid; its attempts are lost when their leases expire, and run elsewhere. */
export async function deleteWorker(db: Db, caller: Caller, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    await requireSteering(tx, caller, id);
    await removeWorker(tx, id);
    await tellOfWorker(tx, id, leaseSeconds);
    await recordEvent(tx, caller, {
      action: 'worker.deleted',
      target_type: 'worker',
      target_id: id,
    });
  });
}

async function requireSteering(db: Db, caller: Caller, id: number) {
  const worker = await getWorker(db, caller, id);
  const may = worker.tenant_id === undefined ? caller.is_platform_admin : caller.role === 'admin';
  if (!may)
    throw forbidden(
      'Only administrators may change workers, and only platform administrators those of the platform.',
    );
}

/** Tokens are long and random, so a plain hash is enough against dictionary attacks. */
const hashOf = (token: string) => createHash('sha256').update(token).digest();
