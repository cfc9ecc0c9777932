/** The address, secrets and mapping of a trigger that messages fire. */
import { randomBytes } from 'node:crypto';
import { isPointer } from '@cogworks/sdk/json-pointers';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { type FieldFault, unprocessableFor } from '../../../errors.ts';
import { requireSecret, type SecretStore } from '../../../hooks/secrets.ts';
import type { Keys } from '../../../keys/keys.ts';
import { requireFolder } from '../folders/settings.ts';
import type { WebhookColumns, WebhookRow } from '../queries.ts';
import type { Mapping, NewTrigger, TriggerChanges } from '../schema.ts';
import { type HookRow, secretRows } from './queries.ts';

/** The columns of a new webhook. @throws DomainError 403 or 404 for its folder, 422 */
export async function newWebhook(
  tx: Db,
  caller: Caller,
  { preset = 'standard', mapping = {}, folder_id, secret }: NewTrigger,
): Promise<WebhookColumns> {
  if (secret !== undefined) requireSecret(preset, secret);
  requireMapping(mapping, folder_id);
  if (folder_id !== undefined) await requireFolder(tx, caller, folder_id);
  return { public_id: newPublicId(), preset, mapping, folder_id };
}

/** @throws DomainError 403 or 404 for its folder, 422 */
export async function changedWebhook(
  tx: Db,
  caller: Caller,
  before: WebhookRow,
  { mapping = before.mapping, folder_id = before.folder_id }: TriggerChanges,
): Promise<WebhookRow> {
  const folder = folder_id ?? undefined;
  requireMapping(mapping, folder);
  // One that has been deleted since must not stand in the way of turning it off.
  if (folder !== undefined && folder !== before.folder_id) await requireFolder(tx, caller, folder);
  return { ...before, mapping, folder_id: folder };
}

/** 128 random bits: what nobody can guess, and safe to double-click. */
const newPublicId = () => randomBytes(16).toString('hex');

/** Where the secrets of a webhook are stored. */
export const secretStore = (
  tx: Db,
  keys: Keys,
  { tenant_id, id, preset }: Pick<WebhookRow, 'tenant_id' | 'id' | 'preset'>,
): SecretStore => ({
  rows: secretRows(tx, { tenant_id, id }),
  preset,
  seal: (secret) => keys.seal(secret, contextOf(tenant_id, id)),
});

/** The secrets of a webhook that are valid now. */
export const secretsOf = (keys: Keys, { tenant_id, id, sealed_secrets }: HookRow): string[] =>
  sealed_secrets.map((sealed) => keys.open(sealed, contextOf(tenant_id, id)).toString());

const contextOf = (tenantId: number, triggerId: number) => `hook|${tenantId}|${triggerId}`;

function requireMapping(
  { extra_variables = {}, cog_ids }: Mapping,
  folder_id: number | undefined,
): void {
  const faults: FieldFault[] = [];
  const check = (loc: string[], pointer: string) => {
    if (isPointer(pointer)) return;
    const msg = `"${pointer}" is no JSON pointer. One begins with /, as in /order/id.`;
    faults.push({ loc: ['body', 'mapping', ...loc], msg, type: 'json_pointer' });
  };
  for (const [name, pointer] of Object.entries(extra_variables))
    check(['extra_variables', name], pointer);
  if (cog_ids !== undefined) {
    check(['cog_ids'], cog_ids);
    if (folder_id === undefined) {
      const msg = 'Choose the folder that the files named by a message must be in.';
      faults.push({ loc: ['body', 'folder_id'], msg, type: 'missing' });
    }
  }
  if (faults.length > 0) throw unprocessableFor(faults);
}
