/** Begin and end of announced uploads: what keeps a repeated request from beginning two. */
import type { Client } from './client.ts';
import { wait } from './wait.ts';

/** Not `randomUUID`, which browsers have only on secure origins. */
export const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join('-');

/** Attempts of a request: about a minute without network. */
export const patience = 10;

/**
 * For requests that may be repeated. An answer may take longer than the next byte: the service may
 * have to prepare many uploads first.
 */
export const persisting = ({ silence_ms }: Client) => ({
  attempts: patience,
  silence_ms: 2 * silence_ms,
});

const mostUploads = 500;
const together_ms = 50;

type Removal = { upload_ids: number[]; done: Promise<void> };

/** What each client is about to remove. */
const removals = new WeakMap<Client, Removal>();

/** Removes an upload whose outcome no longer matters, those of about the same time in one request. */
export function removeUpload(client: Client, upload_id: number): Promise<void> {
  const open = removals.get(client);
  if (open && open.upload_ids.length < mostUploads) {
    open.upload_ids.push(upload_id);
    return open.done;
  }
  const upload_ids = [upload_id];
  const send = async () => {
    await wait(together_ms);
    if (removals.get(client)?.upload_ids === upload_ids) removals.delete(client);
    // What cannot be removed now expires.
    await client.abortUploads({ body: { upload_ids }, isRepeatable: true }).catch(() => {});
  };
  const removal = { upload_ids, done: send() };
  removals.set(client, removal);
  return removal.done;
}
