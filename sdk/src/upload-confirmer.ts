/** Confirms uploads, those that are sent at about the same time in one request. */
import type { Client } from './client.ts';
import type { Cog } from './contract.gen.ts';
import { ApiError } from './errors.ts';
import { persisting } from './upload-keys.ts';
import type { Announced, SentPart } from './upload-parts.ts';

export type Sent = { upload: Announced; file_size: number; parts: readonly SentPart[] };

export type Confirmer = {
  /**
   * Confirms an upload once its bytes are sent: after a short time, or when nothing else is being
   * sent.
   *
   * @throws ApiError, e.g. 409 `name_collision`, `checksum_mismatch`; what `sending` throws.
   */
  confirm(sending: Promise<Sent>): Promise<Cog>;
};

type Waiting = {
  sent: Sent;
  resolve: (cog: Cog) => void;
  reject: (error: unknown) => void;
};

const mostFiles = 500;
const mostParts = 10_000;
/** The service takes 50 requests for uploads a minute. */
const pause_ms = 3000;

export function openConfirmer(client: Client, signal?: AbortSignal): Confirmer {
  let waiting: Waiting[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underWay = 0;

  const add = (one: Waiting) => {
    waiting.push(one);
    timer ??= setTimeout(flush, pause_ms);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const groups = grouped(waiting);
    waiting = [];
    for (const group of groups) void confirmGroup(group);
  };
  const confirmGroup = async (group: readonly Waiting[]) => {
    try {
      const uploads = group.map(({ sent: { upload, file_size, parts } }) => {
        const { upload_id, storage_upload_id } = upload;
        return { upload_id, storage_upload_id, file_size, parts_json: [...parts] };
      });
      const { results } = await client.confirmUploads({
        ...{ body: { uploads }, signal, isRepeatable: true, ...persisting(client) },
      });
      for (const [at, one] of group.entries()) {
        const { cog, error } = results[at] ?? {};
        if (cog) one.resolve(cog);
        else if (error) one.reject(new ApiError(error.status, error));
        // The service still reads the bytes. It has waited for them, so this does not repeat fast.
        else add(one);
      }
    } catch (error) {
      for (const one of group) one.reject(error);
    }
  };
  return {
    async confirm(sending) {
      underWay += 1;
      try {
        const sent = await sending;
        return new Promise((resolve, reject) => add({ sent, resolve, reject }));
      } finally {
        underWay -= 1;
        if (underWay === 0) flush();
      }
    },
  };
}

function grouped(waiting: readonly Waiting[]): Waiting[][] {
  const groups: Waiting[][] = [];
  let [group, parts]: [Waiting[], number] = [[], 0];
  for (const one of waiting) {
    parts += one.sent.parts.length;
    if (group.length === 0 || group.length === mostFiles || parts > mostParts) {
      [group, parts] = [[], one.sent.parts.length];
      groups.push(group);
    }
    group.push(one);
  }
  return groups;
}
