/** What disabling a user stops, and who takes over what is theirs. */
import { actorOf, type Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { badField, forbidden, notFound } from '../../errors.ts';
import { recordEvents } from '../audit-events/audit-events.ts';
import { endSessionsOf } from '../auth/provider/store.ts';
import { endUploadsOf } from '../cogs/large-uploads/expiry.ts';
import { beginSuccession, holdSuccessionsOf } from '../cogs/transfers/successions.ts';
import { resumeNoticesOf, takeOverNoticesOf } from '../notices/notices.ts';
import { takeOverImagesOf } from '../registry/manifests.ts';
import { endImageUploadsOf } from '../registry/uploads.ts';
import { holdTriggersOf, takeOverTriggersOf } from '../triggers/triggers.ts';
import { takeOverWorkflowsOf } from '../workflows/workflows.ts';
import { noteSuccessor, readPreview } from './disabling-queries.ts';
import { findUser, type UserRow } from './queries.ts';
import type { DisablePreview } from './schema.ts';
import { accountIdOf } from './users.ts';

/** What disabling that user would stop. @throws DomainError 403 for members. */
export async function previewDisabling(
  db: Db,
  caller: Caller,
  id: number,
): Promise<DisablePreview> {
  const user = await findUser(db, caller.tenant_id, id);
  if (!user || user.removed_at !== undefined) throw notFound('User');
  if (caller.role !== 'admin') throw forbidden('Only administrators may see this.');
  const preview = await readPreview(db, user, accountIdOf(user));
  if (!preview) throw notFound('User');
  return preview;
}

/**
 * Ends what a disabled user has under way. Their tokens and keys are refused because of their
 * status; runs that were started go on, and triggers turn off when they would fire next.
 */
export async function stopUser(tx: Db, user: UserRow): Promise<void> {
  const { tenant_id, id } = user;
  await endSessionsOf(tx, accountIdOf(user));
  await endUploadsOf(tx, { tenant_id, user_id: id });
  await endImageUploadsOf(tx, { tenant_id, user_id: id });
}

/**
 * Makes another user the owner of what a disabled one has, and of what their runs deliver later. Workflows, triggers, notices and images
 * follow at once, files and folders in portions after this transaction. Triggers run with the successor's
 * rights, so they go on only for an admin who names themselves; for others they are off until they
 * turn them on.
 *
 * @throws DomainError 404 unless the successor is an active user; 422 for the user themselves.
 */
export async function handOver(
  tx: Db,
  caller: Caller,
  { tenant_id, id }: UserRow,
  successorId: number,
): Promise<void> {
  if (successorId === id) throw badField('successor_id', 'Nobody can succeed themselves.');
  const successor = await findUser(tx, tenant_id, successorId);
  if (successor?.status !== 'active') throw notFound('User');
  await holdSuccessionsOf(tx, tenant_id, id);
  await holdTriggersOf(tx, tenant_id, id);
  await noteSuccessor(tx, tenant_id, id, successorId);
  const change = { tenant_id, from: id, to: successorId };
  const workflows = await takeOverWorkflowsOf(tx, change);
  const stay_on = successorId === caller.user_id;
  const triggers = await takeOverTriggersOf(tx, { ...change, stay_on });
  const notices = await takeOverNoticesOf(tx, change);
  const images = await takeOverImagesOf(tx, change);
  await resumeNoticesOf(tx, tenant_id, successorId);
  await beginSuccession(tx, {
    ...{ tenant_id, user_id: id, successor_id: successorId, requested_by: caller.user_id },
  });
  const actor = actorOf(caller);
  const details = { from: id, to: successorId };
  const taken = { workflow: workflows, trigger: triggers, notice: notices };
  await recordEvents(tx, [
    {
      ...{ ...actor, action: 'user.succeeded', target_type: 'user', target_id: id },
      details: {
        ...details,
        ...{ workflows: workflows.length, triggers: triggers.length, notices: notices.length },
        images,
      },
    },
    ...Object.entries(taken).flatMap(([target_type, ids]) =>
      ids.map((target_id) => ({
        ...{ ...actor, action: `${target_type}.transferred`, target_type, target_id, details },
      })),
    ),
  ]);
}
