/** What was sent to the URL of a notice, for those who may change it. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { conflict, notFound } from '../../../errors.ts';
import type { Page } from '../../../pages.ts';
import { requireMaintained, requireOwnNotice } from '../notices.ts';
import type { NoticeKey, NoticeRow } from '../queries.ts';
import type { NoticeDelivery } from '../schema.ts';
import {
  addTest,
  findDelivery,
  listDeliveryRows,
  removeOldDeliveries,
  removeOrphans,
  sendAgain,
} from './queries.ts';

export async function listDeliveries(
  db: Db,
  caller: Caller,
  noticeId: number,
  state: NoticeDelivery['state'] | undefined,
  page: Page,
) {
  return listDeliveryRows(db, await requireMaintained(db, caller, noticeId), state, page);
}

/** Has a message sent that tells of no run. @throws DomainError 403, 404, 409 `notice_disabled` */
export function testNotice(db: Db, caller: Caller, noticeId: number): Promise<NoticeDelivery> {
  return db.transaction(async (tx) => {
    const notice = await requireEnabled(tx, caller, noticeId);
    return requireDelivery(tx, notice, await addTest(tx, notice));
  });
}

/**
 * Has a message sent once more, whatever became of it, under the same id.
 *
 * @throws DomainError 403, 404, 409 `notice_disabled`
 */
export function redeliver(
  db: Db,
  caller: Caller,
  noticeId: number,
  id: number,
): Promise<NoticeDelivery> {
  return db.transaction(async (tx) => {
    const notice = await requireEnabled(tx, caller, noticeId);
    await requireDelivery(tx, notice, id);
    await sendAgain(tx, notice, id);
    return requireDelivery(tx, notice, id);
  });
}

/** Forgets old messages, and those of notices that are gone. @returns how many. */
export const forgetOldMessages = async (db: Db, limit: number): Promise<number> =>
  (await removeOldDeliveries(db, limit)) + (await removeOrphans(db, limit));

async function requireEnabled(tx: Db, caller: Caller, noticeId: number): Promise<NoticeRow> {
  const notice = await requireOwnNotice(tx, caller, noticeId);
  if (!notice.enabled) throw conflict('notice_disabled', 'This notice is turned off.');
  return notice;
}

async function requireDelivery(db: Db, notice: NoticeKey, id: number): Promise<NoticeDelivery> {
  const delivery = await findDelivery(db, notice, id);
  if (!delivery) throw notFound('Delivery');
  return delivery;
}
