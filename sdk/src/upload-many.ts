/**
 * Uploads many files, with the folders of their paths: announced and confirmed together, up to 500
 * in a request, and sent side by side directly to the storage.
 */
import type { Client } from './client.ts';
import type { Cog } from './contract.gen.ts';
import { Slots } from './slots.ts';
import { type Announcing, announce, type Taken } from './upload-announcements.ts';
import { type Confirmer, openConfirmer } from './upload-confirmer.ts';
import { removeUpload } from './upload-keys.ts';
import { type Announced, sendParts } from './upload-parts.ts';

export type ManyFile = {
  /** Its name, after the folders it is in, separated by "/". Missing folders are created. */
  path: string;
  bytes: Blob;
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
};

export type ManyOptions = {
  files: readonly ManyFile[];
  /** The folder; omitted for the root. */
  parent_id?: number | undefined;
  /** Requests under way at once; may be shared with other uploads. Eight unless given. */
  slots?: Slots | undefined;
  /** Asked for each request in which names are taken; without it these files fail. */
  onTaken?: ((paths: string[]) => Taken | Promise<Taken>) | undefined;
  /** Whether uploads that fail or are aborted are kept, to be resumed. Otherwise they are removed. */
  keep?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

type Run = ManyOptions & { slots: Slots; confirmer: Confirmer };

const mostFiles = 500;

/** @returns the outcomes in the order of the files; one that fails does not affect the others. */
export async function uploadMany(client: Client, options: ManyOptions): Promise<ManyOutcome[]> {
  const { files, slots = new Slots(8), signal } = options;
  const run = { ...options, slots, confirmer: openConfirmer(client, signal) };
  const outcomes: Promise<ManyOutcome>[] = [];
  for (let at = 0; at < files.length; at += mostFiles) {
    const some = files.slice(at, at + mostFiles);
    const announced = await announce(client, some, options);
    outcomes.push(...some.map((file, index) => finish(client, file, announced[index], run)));
    // The next ones wait for a turn: announced uploads reserve room, and their URLs expire.
    await slots.run(async () => {}, signal).catch(() => {});
  }
  return Promise.all(outcomes);
}

async function finish(
  client: Client,
  file: ManyFile,
  announcing: Announcing = {},
  run: Run,
): Promise<ManyOutcome> {
  const outcome = { path: file.path, ...(await outcomeOf(client, file, announcing, run)) };
  file.onEnded?.(outcome);
  return outcome;
}

async function outcomeOf(
  client: Client,
  file: ManyFile,
  { upload, error, isSkipped }: Announcing,
  run: Run,
): Promise<Omit<ManyOutcome, 'path'>> {
  if (isSkipped) return { isSkipped };
  if (!upload) return { error: error ?? new Error('The service did not answer for this file.') };
  file.onBegun?.(upload.upload_id);
  try {
    return { cog: await run.confirmer.confirm(send(client, file, upload, run)) };
  } catch (error) {
    if (!run.keep) await removeUpload(client, upload.upload_id);
    return { error };
  }
}

async function send(client: Client, file: ManyFile, upload: Announced, { slots, signal }: Run) {
  const { bytes, onProgress } = file;
  const signals = [file.signal, signal].filter((one) => one !== undefined);
  const both = signals.length > 0 ? AbortSignal.any(signals) : undefined;
  const parts = await sendParts(client, { upload, bytes, slots, onProgress, signal: both });
  return { upload, file_size: bytes.size, parts };
}
