/** The upload store of the tab: it outlives screens, so that users can navigate during uploads. */
import { ApiError } from '@cogworks/sdk/errors';
import { uploadFile } from '@cogworks/sdk/upload-form';
import { useSyncExternalStore } from 'react';
import { api } from '../../api.ts';
import { wordsOf } from '../../ui/await.tsx';
import {
  changeItem,
  isEnded,
  nextName,
  type Queue,
  toStart,
  type UploadItem,
} from './upload-queue.ts';

let queue: Queue = [];
let lastId = 0;
const files = new Map<number, File>();
const stops = new Map<number, AbortController>();
const watchers = new Set<() => void>();
const stored = new Set<() => void>();

export const useUploads = (): Queue => useSyncExternalStore(watch, () => queue);

export const uploads = {
  add(folder_id: number, chosen: readonly File[]): void {
    const items = chosen.map((file): UploadItem => {
      const id = ++lastId;
      files.set(id, file);
      const { name, size } = file;
      return { id, folder_id, name, size_bytes: size, sent_bytes: 0, status: 'waiting' };
    });
    set([...queue, ...items]);
    pump();
  },

  cancel(id: number): void {
    const item = queue.find((one) => one.id === id);
    if (!item || isEnded(item)) return;
    set(changeItem(queue, id, { status: 'cancelled' }));
    stops.get(id)?.abort();
    pump();
  },

  /** Retries a failed upload, under the next name if its own was taken. */
  retry(id: number): void {
    const item = queue.find((one) => one.id === id);
    if (item?.status !== 'failed') return;
    const name = item.isNameTaken ? nextName(item.name) : item.name;
    const { problem: _, isNameTaken: __, ...rest } = item;
    set(
      queue.map((one) =>
        one.id === id ? { ...rest, name, status: 'waiting', sent_bytes: 0 } : one,
      ),
    );
    pump();
  },

  forgetEnded(): void {
    for (const item of queue.filter(isEnded)) files.delete(item.id);
    set(queue.filter((item) => !isEnded(item)));
  },

  /** Called when a folder has received a file. @returns a function that unsubscribes. */
  onStored(listener: () => void): () => void {
    stored.add(listener);
    return () => stored.delete(listener);
  },
};

function pump() {
  for (const item of toStart(queue)) void send(item);
}

async function send({ id, folder_id, name }: UploadItem) {
  const file = files.get(id);
  if (!file) return;
  const stop = new AbortController();
  stops.set(id, stop);
  set(changeItem(queue, id, { status: 'sending' }));
  try {
    await uploadFile(api, {
      name,
      bytes: file,
      parent_id: folder_id,
      signal: stop.signal,
      onProgress: (sent_bytes) => set(changeItem(queue, id, { sent_bytes })),
    });
    set(changeItem(queue, id, { status: 'done', sent_bytes: file.size }));
    files.delete(id);
    for (const listener of stored) listener();
  } catch (error) {
    if (!stop.signal.aborted) set(changeItem(queue, id, failureOf(error)));
  } finally {
    stops.delete(id);
    pump();
  }
}

function failureOf(error: unknown): Partial<UploadItem> {
  const isNameTaken = error instanceof ApiError && error.code === 'name_collision';
  return { status: 'failed', problem: wordsOf(error).message, isNameTaken };
}

function set(next: Queue) {
  queue = next;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

// Closing the tab would abort uploads under way, so the browser asks first.
addEventListener('beforeunload', (event) => {
  if (queue.some((item) => !isEnded(item))) event.preventDefault();
});
