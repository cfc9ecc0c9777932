/** Announces many files in one request, and decides about those whose names are taken. */
import type { Client } from './client.ts';
import type { BatchUpload } from './contract.gen.ts';
import { ApiError } from './errors.ts';
import { nextName } from './next-name.ts';
import { newKey, patience } from './upload-keys.ts';
import type { Announced } from './upload-parts.ts';

/** What to do with files whose names are taken: `replace` makes new versions of the existing ones. */
export type Taken = 'fail' | 'skip' | 'keep both' | 'replace';

type File = { path: string; bytes: Blob; signal?: AbortSignal | undefined };

type Options = {
  parent_id?: number | undefined;
  onTaken?: ((paths: string[]) => Taken | Promise<Taken>) | undefined;
  signal?: AbortSignal | undefined;
  existing?: 'version';
};

/** What became of a file: one of these. `later` is when it has been decided about its name. */
export type Announcing = {
  upload?: Announced;
  error?: unknown;
  isSkipped?: boolean;
  later?: Promise<Announcing>;
};

/** Small enough to lose little when the network fails. */
export const chunk_size = 16 * 1024 ** 2;

/** @returns what became of each file, in their order. */
export async function announce(
  client: Client,
  files: readonly File[],
  options: Options,
): Promise<Announcing[]> {
  if (files.length === 0) return [];
  try {
    const found = await request(client, files, options);
    const { onTaken } = options;
    const taken = files.filter((_, at) => isTaken(found[at]));
    if (taken.length === 0 || !onTaken) return found;
    // The others are sent meanwhile.
    const deciding = Promise.resolve(onTaken(taken.map(({ path }) => path)))
      .then((decision) => decide(client, taken, decision, options))
      .catch((error: unknown) => taken.map((): Announcing => ({ error })));
    let index = 0;
    return found.map((one) => {
      if (!isTaken(one)) return one;
      const at = index++;
      return { later: deciding.then((decided) => decided?.[at] ?? one) };
    });
  } catch (error) {
    return files.map(() => ({ error }));
  }
}

async function request(
  client: Client,
  files: readonly File[],
  { parent_id, existing, signal }: Options,
): Promise<Announcing[]> {
  const { uploads } = await client.initiateUploads({
    body: {
      ...(parent_id === undefined ? {} : { parent_id }),
      ...(existing && { existing }),
      chunk_size,
      files: files.map(({ path, bytes }) => ({
        ...{ path, file_size: bytes.size },
        ...(bytes.type ? { mime_type: bytes.type } : {}),
      })),
    },
    ...{ signal, idempotencyKey: newKey(), attempts: patience },
  });
  return uploads.map(announcingOf);
}

const announcingOf = ({ upload, error }: BatchUpload): Announcing =>
  error ? { error: new ApiError(error.status, error) } : { ...(upload ? { upload } : {}) };

const isTaken = (one: Announcing | undefined): boolean =>
  one?.error instanceof ApiError && one.error.code === 'name_collision';

/** @returns undefined to leave them refused. */
async function decide(
  client: Client,
  files: readonly File[],
  decision: Taken,
  options: Options,
): Promise<Announcing[] | undefined> {
  if (decision === 'skip') return files.map(() => ({ isSkipped: true }));
  if (decision === 'keep both') return announceRenamed(client, files, options);
  if (decision === 'replace') return request(client, files, { ...options, existing: 'version' });
  return undefined;
}

const mostNames = 20;

async function announceRenamed(client: Client, files: readonly File[], options: Options) {
  const renamed = files.map((file) => ({ ...file, path: nextName(file.path) }));
  const outcomes: Announcing[] = [];
  let open = renamed.map((file, at) => ({ file, at }));
  for (let round = 1; open.length > 0 && round <= mostNames; round++) {
    const found = await request(
      client,
      open.map(({ file }) => file),
      options,
    );
    for (const [index, { at }] of open.entries()) outcomes[at] = found[index] ?? {};
    open = open.filter(({ at }) => isTaken(outcomes[at]));
    for (const one of open) one.file = { ...one.file, path: nextName(one.file.path) };
  }
  return outcomes;
}
