/** Begin and end of announced uploads: what keeps a repeated request from beginning two. */
import type { Client } from './client.ts';

/** Not `randomUUID`, which browsers have only on secure origins. */
export const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join('-');

/** Removes an upload whose outcome no longer matters. */
export async function removeUpload(client: Client, upload_id: number): Promise<void> {
  // It may have ended already; otherwise it expires.
  await client.abortUpload({ path: { upload_id } }).catch(() => {});
}
