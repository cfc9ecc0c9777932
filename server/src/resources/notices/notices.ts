/**
 * Notices: URLs that are called when runs end, and mails to who set them up. What users may set up,
 * see and change; `deliveries/sending.ts` sends the messages, which the database writes when a run
 * ends.
 */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { badField, conflict, forbidden, notFound } from '../../errors.ts';
import { rotateSecret, storeSecret } from '../../hooks/secrets.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { Page } from '../../pages.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { getWorkflow } from '../workflows/workflows.ts';
import { removeSomeOf, sendWaitingNow } from './deliveries/queries.ts';
import {
  addNotice,
  findNotice,
  forgetFailuresOf,
  listNoticeRows,
  lockNotice,
  type NoticeRow,
  removeNotice,
  type StoredNotice,
  setNoticeMaker,
  updateNotice,
} from './queries.ts';
import {
  type CreatedNotice,
  mostUrlLength,
  type NewNotice,
  type NewNoticeSecret,
  type Notice,
  type NoticeChanges,
} from './schema.ts';
import { secretStore } from './secrets.ts';

type NoticeServices = Pick<Services, 'config' | 'keys' | 'outbound'>;

/** Each end of a run writes a message for each of them. */
const mostPerTenant = 100;

/** @throws DomainError 404 for a workflow, 409 `too_many_notices` or `mail_not_set_up`, 422 */
export function createNotice(
  db: Db,
  services: NoticeServices,
  caller: Caller,
  { name, events, workflow_id, enabled = true, ...given }: NewNotice,
): Promise<CreatedNotice> {
  const url = receiverIn(services, given);
  const { tenant_id, user_id: created_by } = caller;
  return db.transaction(async (tx) => {
    if (workflow_id !== undefined) await getWorkflow(tx, caller, workflow_id);
    const wanted = { tenant_id, name, url, events, workflow_id, enabled, created_by };
    const row = await addNotice(tx, wanted, mostPerTenant);
    if (!row) {
      const most = `${mostPerTenant} notices at most. Delete one first.`;
      throw conflict('too_many_notices', `Together, the users of an organization have ${most}`);
    }
    await recordEvent(tx, caller, eventOf('created', row));
    if (row.by_mail) return shownTo(caller, row);
    const store = await secretStore(tx, services.keys, row);
    return { ...shownTo(caller, row), secret: await storeSecret(tx, store, given.secret) };
  });
}

export async function listNotices(
  db: Db,
  caller: Caller,
  workflowId: number | undefined,
  page: Page,
) {
  const { rows, ...rest } = await listNoticeRows(db, caller.tenant_id, workflowId, page);
  return { rows: rows.map((row) => shownTo(caller, row)), ...rest };
}

export async function getNotice(db: Db, caller: Caller, id: number): Promise<Notice> {
  return shownTo(caller, await requireNotice(db, caller, id));
}

/**
 * What waits goes to a changed URL. Turned on again, a notice continues with what waits.
 *
 * @throws DomainError 403 for others than its maker and admins; 404, 422
 */
export function changeNotice(
  db: Db,
  { outbound }: Pick<NoticeServices, 'outbound'>,
  caller: Caller,
  id: number,
  changes: NoticeChanges,
): Promise<Notice> {
  return db.transaction(async (tx) => {
    const before = await requireOwnNotice(tx, caller, id);
    const after = await updateNotice(tx, await changed(tx, outbound, caller, before, changes));
    if (after.enabled && !before.enabled) await sendWaitingNow(tx, after);
    const { url: _, ...others } = changes;
    const event = eventOf('changed', after);
    await recordEvent(tx, caller, { ...event, details: { ...others, ...event.details } });
    return shownTo(caller, after);
  });
}

export function deleteNotice(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const notice = await requireOwnNotice(tx, caller, id);
    await removeSomeOf(tx, notice);
    await removeNotice(tx, notice);
    await recordEvent(tx, caller, eventOf('deleted', notice));
  });
}

/**
 * A new secret; for the overlap, the old one signs as well.
 *
 * @throws DomainError 403, 404, 409 `notice_by_mail`
 */
export function changeNoticeSecret(
  db: Db,
  keys: Keys,
  caller: Caller,
  id: number,
  { secret, overlap_seconds = 24 * 3600 }: NewNoticeSecret,
) {
  return db.transaction(async (tx) => {
    const notice = await requireOwnNotice(tx, caller, id);
    if (notice.by_mail) throw conflict('notice_by_mail', 'Mails are not signed with a secret.');
    await recordEvent(tx, caller, eventOf('secret_rotated', notice));
    return rotateSecret(tx, await secretStore(tx, keys, notice), secret, overlap_seconds);
  });
}

/** Makes another user the maker of the notices of one, but for mails. @returns their ids. */
export async function takeOverNoticesOf(
  tx: Db,
  change: { tenant_id: number; from: number; to: number },
): Promise<number[]> {
  const taken = await setNoticeMaker(tx, change);
  return taken.map(({ id }) => id);
}

/** A user who is enabled again has their notices sent again, too. */
export async function resumeNoticesOf(tx: Db, tenantId: number, userId: number): Promise<void> {
  await forgetFailuresOf(tx, tenantId, userId);
}

/** @throws DomainError 404; 403 for others than its maker and admins. */
export async function requireMaintained(db: Db, caller: Caller, id: number): Promise<NoticeRow> {
  const notice = await requireNotice(db, caller, id);
  requireMaintainer(caller, notice);
  return notice;
}

async function requireNotice(db: Db, caller: Caller, id: number): Promise<NoticeRow> {
  const notice = await findNotice(db, caller.tenant_id, id);
  if (!notice) throw notFound('Notice');
  return notice;
}

/** Locked, for a change. */
export async function requireOwnNotice(tx: Db, caller: Caller, id: number): Promise<NoticeRow> {
  const notice = await lockNotice(tx, caller.tenant_id, id);
  if (!notice) throw notFound('Notice');
  requireMaintainer(caller, notice);
  return notice;
}

const mayChange = (caller: Caller, { created_by }: NoticeRow) =>
  caller.role === 'admin' || caller.user_id === created_by;

function requireMaintainer(caller: Caller, notice: NoticeRow) {
  if (!mayChange(caller, notice))
    throw forbidden('Only the maker of this notice and administrators may do that.');
}

async function changed(
  tx: Db,
  outbound: Outbound,
  caller: Caller,
  before: NoticeRow,
  changes: NoticeChanges,
): Promise<StoredNotice> {
  const { name, workflow_id, events = before.events, enabled = before.enabled } = changes;
  if (typeof workflow_id === 'number') await getWorkflow(tx, caller, workflow_id);
  if (changes.url !== undefined && before.by_mail) {
    throw badField('url', 'This notice is sent by mail. Make another one for a URL.');
  }
  const url = changes.url === undefined ? before.url : checkedUrl(outbound, changes.url);
  // Another receiver, or one that was mended: what was learned of it does not count any more.
  const isFresh = url !== before.url || (enabled && !before.enabled);
  return {
    ...before,
    ...{ url, events, enabled },
    name: name === undefined ? before.name : (name ?? undefined),
    workflow_id: workflow_id === undefined ? before.workflow_id : (workflow_id ?? undefined),
    off_reason: enabled ? undefined : before.off_reason,
    failing_since: isFresh ? undefined : before.failing_since,
    quiet_until: isFresh ? undefined : before.quiet_until,
  };
}

/** @returns the URL; undefined for mails. @throws DomainError 409 `mail_not_set_up`, 422. */
function receiverIn(
  { config, outbound }: NoticeServices,
  { url, by_mail = false, secret }: Pick<NewNotice, 'url' | 'by_mail' | 'secret'>,
): string | undefined {
  if (!by_mail) {
    if (url === undefined) throw badField('url', 'Needed, unless it is sent `by_mail`.');
    return checkedUrl(outbound, url);
  }
  if (url !== undefined) throw badField('url', 'A notice has a URL or is sent by mail, not both.');
  if (secret !== undefined) throw badField('secret', 'Mails are not signed with a secret.');
  if (!config.mail) throw conflict('mail_not_set_up', 'This installation sends no mails.');
  return undefined;
}

/** @throws DomainError 422. */
function checkedUrl(outbound: Outbound, text: string): string {
  const fault = outbound.faultOf(text);
  if (fault !== undefined) throw badField('url', fault);
  // As it will be called: without line breaks, and with addresses in their usual form.
  const url = new URL(text);
  url.hash = '';
  if (url.href.length > mostUrlLength) {
    const most = `Must have at most ${mostUrlLength} characters`;
    throw badField('url', `${most}, with those outside ASCII as they are sent.`);
  }
  return url.href;
}

/** Never the whole URL, which can hold a password, because events cannot be deleted. */
const eventOf = (
  what: 'created' | 'changed' | 'deleted' | 'secret_rotated',
  { id, name, url }: NoticeRow,
) => ({
  action: `notice.${what}`,
  target_type: 'notice',
  target_id: id,
  details: {
    ...(name !== undefined && { name }),
    ...(url === undefined ? { by_mail: true } : { origin: new URL(url).origin }),
  },
});

function shownTo(caller: Caller, notice: NoticeRow): Notice {
  const { tenant_id: _, ...shown } = notice;
  if (shown.url === undefined || mayChange(caller, notice)) return shown;
  return { ...shown, url: new URL(shown.url).origin };
}
