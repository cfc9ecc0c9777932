/**
 * Uploads many files, with the folders of their paths: announced and confirmed together, up to 500
 * in a request, and sent side by side directly to the storage.
 */
import { anyOf } from './any-of.ts';
import type { Client } from './client.ts';
import type { Cog } from './contract.gen.ts';
import { Slots } from './slots.ts';
import { upload } from './upload.ts';
import { type Announcing, announce, type Taken } from './upload-announcements.ts';
import { type Confirmer, openConfirmer } from './upload-confirmer.ts';
import { removeUpload } from './upload-keys.ts';
import { type Announced, sendParts } from './upload-parts.ts';

export type ManyFile = {
  /** Its name, after the folders it is in, separated by "/". Missing folders are created. */
  path: string;
  /** Or what opens it: called shortly before it is announced. */
  bytes: Blob | (() => Promise<Blob>);
  /** Computes its SHA-256, hexadecimal: called only if the decision is `replace changed`. */
  checksum?: (() => Promise<string>) | undefined;
  /** Resumes this upload: only the parts that are not stored are sent. */
  upload_id?: number | undefined;
  /** Whether its upload is kept if it fails or is aborted, to be resumed. Otherwise it is removed. */
  keep?: boolean | undefined;
  /** Stops this file alone. */
  signal?: AbortSignal | undefined;
  /** Called when its upload has begun, with what resumes it. */
  onBegun?: ((upload_id: number) => void) | undefined;
  /** Called often, with the bytes sent so far. */
  onProgress?: ((sent_bytes: number) => void) | undefined;
  onEnded?: ((outcome: ManyOutcome) => void) | undefined;
};

/** One of `cog`, `error` and `isSkipped`. */
export type ManyOutcome = {
  /** As given. The file has another name if both were kept. */
  path: string;
  cog?: Cog;
  error?: unknown;
  /** Its name was taken, and the existing file was kept. */
  isSkipped?: boolean;
  /** And that has the same content. */
  isUnchanged?: boolean;
};

export type ManyOptions = {
  files: readonly ManyFile[];
  /** The folder; omitted for the root. */
  parent_id?: number | undefined;
  /** Requests under way at once; may be shared with other uploads. Eight unless given. */
  slots?: Slots | undefined;
  /**
   * Asked once, when the first names are found to be taken; the decision holds for all files.
   * Without it they fail.
   */
  onTaken?: ((paths: string[]) => Taken | Promise<Taken>) | undefined;
  signal?: AbortSignal | undefined;
};

type Run = ManyOptions & { slots: Slots; confirmer: Confirmer };

/** Its bytes, unless they cannot be read or it was stopped before. */
type Opened = Omit<ManyFile, 'bytes'> & { bytes?: Blob; error?: unknown };
type Readable = Opened & { bytes: Blob };

const mostFiles = 500;

/** @returns the outcomes in the order of the files; one that fails does not affect the others. */
export async function uploadMany(client: Client, options: ManyOptions): Promise<ManyOutcome[]> {
  const { files, slots = new Slots(8), signal } = options;
  const run = { ...options, slots, confirmer: openConfirmer(client, signal) };
  const onTaken = options.onTaken && once(options.onTaken);
  const outcomes: Promise<ManyOutcome>[] = [];
  for (let at = 0; at < files.length; at += mostFiles) {
    const some: Opened[] = [];
    // One after the other: each holds a handle of the system for a moment.
    for (const file of files.slice(at, at + mostFiles)) some.push(await open(file));
    const wanted = some.filter(isReadable).filter(({ upload_id }) => upload_id === undefined);
    const announced = await announce(client, wanted, { ...options, onTaken });
    const found = new Map(wanted.map((file, index) => [file as Opened, announced[index]]));
    for (const file of some) outcomes.push(finish(client, file, found.get(file), run));
    // The next ones wait for a turn: announced uploads reserve room, and their URLs expire.
    await slots.run(async () => {}, signal).catch(() => {});
  }
  return Promise.all(outcomes);
}

async function open({ bytes: given, ...file }: ManyFile): Promise<Opened> {
  try {
    file.signal?.throwIfAborted();
    return { ...file, bytes: given instanceof Blob ? given : await given() };
  } catch (error) {
    return { ...file, error };
  }
}

const isReadable = (file: Opened): file is Readable => file.bytes !== undefined;

/** The first decision, for all. */
function once(ask: NonNullable<ManyOptions['onTaken']>): typeof ask {
  let decision: ReturnType<typeof ask> | undefined;
  return (paths) => {
    decision ??= ask(paths);
    return decision;
  };
}

async function finish(
  client: Client,
  file: Opened,
  announcing: Announcing | undefined,
  run: Run,
): Promise<ManyOutcome> {
  const outcome = { path: file.path, ...(await outcomeOf(client, file, announcing, run)) };
  file.onEnded?.(outcome);
  return outcome;
}

async function outcomeOf(
  client: Client,
  file: Opened,
  announcing: Announcing = {},
  run: Run,
): Promise<Omit<ManyOutcome, 'path'>> {
  if (!isReadable(file)) return { error: file.error };
  if (file.upload_id !== undefined) return resume(client, file, run);
  const { upload, error, isSkipped, isUnchanged } = (await announcing.later) ?? announcing;
  if (isSkipped) return { isSkipped, ...(isUnchanged && { isUnchanged }) };
  if (!upload) return { error: error ?? new Error('The service did not answer for this file.') };
  file.onBegun?.(upload.upload_id);
  try {
    return { cog: await run.confirmer.confirm(send(client, file, upload, run)) };
  } catch (error) {
    if (!file.keep) await removeUpload(client, upload.upload_id);
    return { error };
  }
}

async function resume(client: Client, { path, ...file }: Readable, run: Run) {
  const { slots } = run;
  const signal = anyOf(file.signal, run.signal);
  try {
    return { cog: await upload(client, { ...file, name: path, slots, signal }) };
  } catch (error) {
    return { error };
  }
}

async function send(client: Client, file: Readable, upload: Announced, { slots, signal }: Run) {
  const { bytes, onProgress } = file;
  const both = anyOf(file.signal, signal);
  const parts = await sendParts(client, { upload, bytes, slots, onProgress, signal: both });
  return { upload, file_size: bytes.size, parts };
}
