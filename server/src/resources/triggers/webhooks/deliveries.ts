/** What came to a webhook, for those who may change it: bodies can hold anything. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { conflict, notFound } from '../../../errors.ts';
import type { Page } from '../../../pages.ts';
import type { WebhookRow } from '../queries.ts';
import type { Delivery, DeliveryWithBody } from '../schema.ts';
import type { FiringServices } from '../starting.ts';
import { notAWebhook, requireMaintainer, requireTrigger, requireUserOf } from '../triggers.ts';
import {
  type DeliveryRow,
  findDelivery,
  listDeliveryRows,
  removeOldDeliveries,
} from './queries.ts';
import { prepareAgain } from './receiving.ts';

export async function listDeliveries(
  db: Db,
  caller: Caller,
  triggerId: number,
  verdict: Delivery['verdict'] | undefined,
  page: Page,
) {
  return listDeliveryRows(db, await requireWebhook(db, caller, triggerId), verdict, page);
}

/** With its body, while that is kept. Bytes that are not UTF-8 are shown as U+FFFD. */
export async function getDelivery(
  db: Db,
  caller: Caller,
  triggerId: number,
  id: number,
): Promise<DeliveryWithBody> {
  const { body, ...row } = await requireDelivery(db, caller, triggerId, id);
  return { ...row, ...(body && { body: Buffer.from(body).toString() }) };
}

/**
 * Starts a run for a message of before, by the mapping of today.
 *
 * @throws DomainError 409 `body_not_kept`, `trigger_disabled`, and what a start throws
 */
export async function prepareRedelivery(
  services: FiringServices,
  caller: Caller,
  triggerId: number,
  id: number,
) {
  const trigger = await requireWebhook(services.db, caller, triggerId);
  requireUserOf(caller, trigger);
  const { body, size_bytes } = await requireDelivery(services.db, caller, triggerId, id);
  if (!body && size_bytes > 0) {
    throw conflict(
      'body_not_kept',
      'Its body is not kept: bodies of signed messages are, for seven days and up to 64 KB.',
    );
  }
  return prepareAgain(services, trigger, Buffer.from(body ?? []), id);
}

export const forgetOldDeliveries = (db: Db, limit: number) => removeOldDeliveries(db, limit);

async function requireDelivery(
  db: Db,
  caller: Caller,
  triggerId: number,
  id: number,
): Promise<DeliveryRow> {
  const delivery = await findDelivery(db, await requireWebhook(db, caller, triggerId), id);
  if (!delivery) throw notFound('Delivery');
  return delivery;
}

async function requireWebhook(db: Db, caller: Caller, id: number): Promise<WebhookRow> {
  const trigger = await requireTrigger(db, caller, id);
  requireMaintainer(caller, trigger);
  if (trigger.type !== 'webhook') throw notAWebhook();
  return trigger;
}
