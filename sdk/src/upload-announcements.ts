/** Announces many files in one request, and decides about those whose names are taken. */
import type { Client } from './client.ts';
import type { BatchUpload } from './contract.gen.ts';
import { ApiError } from './errors.ts';
import { nextName } from './next-name.ts';
import { newKey, persisting } from './upload-keys.ts';
import type { Announced } from './upload-parts.ts';

/**
 * What to do with files whose names are taken: `replace` makes new versions of the existing ones,
 * `replace changed` only of those with another content.
 */
export type Taken = 'fail' | 'skip' | 'keep both' | 'replace' | 'replace changed';

type File = {
  path: string;
  bytes: Blob;
  /** Computes its SHA-256, hexadecimal. A file without it counts as changed. */
  checksum?: (() => Promise<string>) | undefined;
  signal?: AbortSignal | undefined;
};

type Checked = File & { checksum_sha256?: string };

type Options = {
  parent_id?: number | undefined;
  onTaken?: ((paths: string[]) => Taken | Promise<Taken>) | undefined;
  signal?: AbortSignal | undefined;
  existing?: 'version' | 'changed';
};

/** What became of a file: one of these. `later` is when it has been decided about its name. */
export type Announcing = {
  upload?: Announced;
  error?: unknown;
  isSkipped?: boolean;
  isUnchanged?: boolean;
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
  files: readonly Checked[],
  { parent_id, existing, signal }: Options,
): Promise<Announcing[]> {
  const { uploads } = await client.initiateUploads({
    body: {
      ...(parent_id === undefined ? {} : { parent_id }),
      ...(existing && { existing }),
      chunk_size,
      files: files.map(({ path, bytes, checksum_sha256 }) => ({
        ...{ path, file_size: bytes.size },
        ...(bytes.type ? { mime_type: bytes.type } : {}),
        ...(checksum_sha256 === undefined ? {} : { checksum_sha256 }),
      })),
    },
    ...{ signal, idempotencyKey: newKey(), ...persisting(client) },
  });
  return uploads.map(announcingOf);
}

function announcingOf({ upload, error, is_unchanged }: BatchUpload): Announcing {
  if (error) return { error: new ApiError(error.status, error) };
  if (is_unchanged) return { isSkipped: true, isUnchanged: true };
  return upload ? { upload } : {};
}

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
  if (decision === 'replace changed') return announceChanged(client, files, options);
  return undefined;
}

/** The service compares their checksums with those of the existing files. */
async function announceChanged(client: Client, files: readonly File[], options: Options) {
  const found: Announcing[] = [];
  const checked: (Checked & { at: number })[] = [];
  // One after the other: each is read as fast as the disk gives it.
  for (const [at, file] of files.entries()) {
    try {
      options.signal?.throwIfAborted();
      file.signal?.throwIfAborted();
      const checksum_sha256 = await file.checksum?.();
      checked.push({ ...file, at, ...(checksum_sha256 === undefined ? {} : { checksum_sha256 }) });
    } catch (error) {
      found[at] = { error };
    }
  }
  if (checked.length === 0) return found;
  const announced = await request(client, checked, { ...options, existing: 'changed' });
  for (const [index, { at }] of checked.entries()) found[at] = announced[index] ?? {};
  return found;
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
