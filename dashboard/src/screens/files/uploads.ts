/** The uploads of the tab: they outlive screens, so that users can navigate meanwhile. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { Slots } from '@cogworks/sdk/slots';
import { upload } from '@cogworks/sdk/upload';
import { chunk_size, type Taken } from '@cogworks/sdk/upload-announcements';
import { removeUpload } from '@cogworks/sdk/upload-keys';
import { type ManyFile, type ManyOutcome, uploadMany } from '@cogworks/sdk/upload-many';
import { t } from '@lingui/core/macro';
import { api } from '../../api.ts';
import { wordsOf } from '../../ui/await.tsx';
import { type Dropped, pathOf } from './dropped-files.ts';
import { forget, holdWhile, remember, remembered, unattended } from './upload-memory.ts';
import { isActive, isEnded, isLarge, type UploadItem } from './upload-queue.ts';
import { UploadState } from './upload-state.ts';

/** Browsers open six connections to a host; the page needs one too. */
const slots = new Slots(5);
const state = new UploadState<Taken>();
const files = new Map<number, File>();
const stops = new Map<number, AbortController>();
const stored = new Set<(cog: Cog) => void>();

export const useUploads = state.use;

export const uploads = {
  add(folder_id: number, chosen: readonly Dropped[]): void {
    const added = chosen.flatMap((one) => {
      const path = pathOf(one);
      const earlier = [...state.items.values()].find(
        (item) => item.isWithoutFile && item.folder_id === folder_id && item.path === path,
      );
      if (earlier && uploads.resumeWith(earlier.id, one.file)) return [];
      const { size: size_bytes } = one.file;
      const item = state.add({ folder_id, path, size_bytes, sent_bytes: 0, status: 'waiting' });
      files.set(item.id, one.file);
      return item;
    });
    void sendTogether(folder_id, added);
  },

  cancel(id: number): void {
    const item = state.items.get(id);
    if (!item || isEnded(item)) return;
    state.change(id, { status: 'cancelled' });
    stops.get(id)?.abort();
    files.delete(id);
    if (item.upload_id === undefined) return;
    forget(item.upload_id);
    void removeUpload(api, item.upload_id);
  },

  cancelAll(): void {
    for (const id of state.items.keys()) uploads.cancel(id);
  },

  pause(id: number): void {
    const item = state.items.get(id);
    if (!item || !isActive(item) || item.upload_id === undefined) return;
    state.change(id, { status: 'paused' });
    stops.get(id)?.abort();
  },

  resume(id: number): void {
    const item = state.items.get(id);
    if (item?.status === 'paused') sendAgain([item]);
  },

  /** Resumes an upload begun before the page was loaded. @returns whether it is the same file. */
  resumeWith(id: number, file: File): boolean {
    const item = state.items.get(id);
    if (!item) return false;
    const known = remembered().find(({ upload_id }) => upload_id === item.upload_id);
    const isSame =
      file.size === item.size_bytes &&
      file.name === nameOf(item) &&
      file.lastModified === known?.last_modified;
    if (!isSame) {
      state.change(id, { problem: t`This is another file, or it has changed since.` });
      return false;
    }
    files.set(id, file);
    const { isWithoutFile: _, problem: __, ...rest } = item;
    state.items.set(id, rest);
    sendAgain([rest]);
    return true;
  },

  retry(id: number): void {
    const item = state.items.get(id);
    if (item?.status === 'failed') sendAgain([item]);
  },

  retryAll(): void {
    sendAgain([...state.items.values()].filter(({ status }) => status === 'failed'));
  },

  forgetEnded(): void {
    const ended = [...state.items.values()].filter(isEnded).map(({ id }) => id);
    for (const id of ended) files.delete(id);
    state.forget(ended);
  },

  /** Shows what this browser began and did not finish. */
  async restore(): Promise<void> {
    const own = new Set([...state.items.values()].map(({ upload_id }) => upload_id));
    const begun = (await unattended()).filter(({ upload_id }) => !own.has(upload_id));
    for (const { upload_id, folder_id, path, size_bytes } of begun) {
      const found = await api.getUpload({ path: { upload_id } }).catch(() => undefined);
      if (found?.state !== 'open') continue;
      const sent_bytes = found.parts.reduce((sum, part) => sum + part.size_bytes, 0);
      const place = { upload_id, folder_id, path, size_bytes, sent_bytes };
      state.add({ ...place, status: 'paused', isWithoutFile: true });
    }
  },

  /** Called with each file that is stored. @returns a function that unsubscribes. */
  onStored(listener: (cog: Cog) => void): () => void {
    stored.add(listener);
    return () => stored.delete(listener);
  },
};

export const nameOf = ({ path }: UploadItem): string => path.slice(path.lastIndexOf('/') + 1);

/** Large uploads that have begun are resumed, the others begin again, together. */
function sendAgain(items: readonly UploadItem[]) {
  const again = items.map((item) => {
    const { problem: _, ...rest } = item;
    const waiting: UploadItem = { ...rest, status: 'waiting' };
    state.items.set(item.id, waiting);
    state.change(item.id, {});
    return waiting;
  });
  for (const item of again) if (item.upload_id !== undefined) void sendRest(item, item.upload_id);
  const fresh = again.filter(({ upload_id }) => upload_id === undefined);
  for (const [folder_id, some] of Map.groupBy(fresh, (item) => item.folder_id)) {
    void sendTogether(folder_id, some);
  }
}

async function sendTogether(folder_id: number, items: readonly UploadItem[]) {
  await uploadMany(api, {
    ...{ parent_id: folder_id, files: items.flatMap(sendingOf), slots },
    onTaken: (paths) => state.ask(paths),
  });
}

function sendingOf(item: UploadItem): ManyFile[] {
  const { id, path, folder_id, size_bytes } = item;
  const bytes = files.get(id);
  if (!bytes) return [];
  const large = isLarge(item, chunk_size);
  const ending = Promise.withResolvers<void>();
  return [
    {
      ...{ path, bytes, keep: large, signal: stopOf(id) },
      onBegun: (upload_id) => {
        if (!large) return;
        // Cancelled while it was announced.
        if (state.items.get(id)?.status === 'cancelled') return void removeUpload(api, upload_id);
        state.change(id, { upload_id });
        remember({ upload_id, folder_id, path, size_bytes, last_modified: bytes.lastModified });
        holdWhile(upload_id, ending.promise);
      },
      onProgress: (sent_bytes) => state.progress(id, sent_bytes),
      onEnded: (outcome) => {
        ending.resolve();
        end(id, outcome);
      },
    },
  ];
}

async function sendRest({ id, path }: UploadItem, upload_id: number) {
  const bytes = files.get(id);
  if (!bytes) return;
  const sending = upload(api, {
    ...{ name: path, bytes, upload_id, keep: true, slots, signal: stopOf(id) },
    onProgress: (sent_bytes) => state.progress(id, sent_bytes),
  });
  holdWhile(upload_id, sending);
  const outcome = await sending.then(
    (cog) => ({ cog }),
    (error: unknown) => ({ error }),
  );
  end(id, outcome);
}

function stopOf(id: number): AbortSignal {
  const stop = new AbortController();
  stops.set(id, stop);
  return stop.signal;
}

function end(id: number, { cog, error, isSkipped }: Omit<ManyOutcome, 'path'>) {
  const item = state.items.get(id);
  // A cancelled or paused one ends with the error of its signal, perhaps after it was resumed.
  if (!item || (!cog && !isActive(item)) || isAbort(error)) return;
  if (cog) {
    state.change(id, { status: 'done', sent_bytes: item.size_bytes, cog });
    for (const listener of stored) listener(cog);
  } else if (isSkipped) state.change(id, { status: 'skipped' });
  else state.change(id, { status: 'failed', problem: wordsOf(error).message });
  if (cog || isSkipped) files.delete(id);
  if (item.upload_id !== undefined && (cog || isGone(error))) {
    forget(item.upload_id);
    const { upload_id: _, ...rest } = state.items.get(id) ?? item;
    state.items.set(id, rest);
  }
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError';

/** The upload has ended, so that a retry must begin another. */
const isGone = (error: unknown) =>
  error instanceof ApiError && (error.status === 404 || error.code === 'upload_ended');

// Closing the tab would abort uploads under way, so the browser asks first.
addEventListener('beforeunload', (event) => {
  if ([...state.items.values()].some(isActive)) event.preventDefault();
});
