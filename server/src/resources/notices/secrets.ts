/** What messages of a notice are signed with, sealed with the key of its tenant. */
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import type { SecretStore } from '../../hooks/secrets.ts';
import type { Keys } from '../../keys/keys.ts';
import { open, seal } from '../../keys/sealing.ts';
import { type NoticeKey, secretRows } from './queries.ts';

/** Where the secrets of a notice are stored. */
export async function secretStore(tx: Db, keys: Keys, notice: NoticeKey): Promise<SecretStore> {
  const key = await keys.tenantKey(tx, notice.tenant_id);
  return {
    rows: secretRows(tx, notice),
    preset: 'standard',
    seal: (secret) => seal(key, secret, contextOf(notice)),
  };
}

/** Opens secrets of a notice. */
export async function openSecrets(
  db: Tag,
  keys: Keys,
  notice: NoticeKey,
  sealed: readonly Uint8Array[],
): Promise<string[]> {
  const key = await keys.tenantKey(db, notice.tenant_id);
  return sealed.map((value) => open(key, value, contextOf(notice)).toString());
}

const contextOf = ({ tenant_id, id }: NoticeKey) => `notice|${tenant_id}|${id}`;
