/**
 * The uploads of this tab as data: waiting, sending, and finished. Pure; the store in uploads.ts
 * sends.
 */

export type UploadStatus = 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled';

export type UploadItem = {
  id: number;
  folder_id: number;
  name: string;
  size_bytes: number;
  sent_bytes: number;
  status: UploadStatus;
  /** Why it failed, as a sentence. */
  problem?: string;
  /** The name is taken in the folder, so another name would work. */
  isNameTaken?: boolean;
};

export type Queue = readonly UploadItem[];

/** More at once would not be faster, and the server limits uploads per minute. */
const parallel = 3;

export const isEnded = ({ status }: UploadItem): boolean =>
  status !== 'waiting' && status !== 'sending';

/** The uploads to start now. */
export function toStart(queue: Queue): UploadItem[] {
  const sending = queue.filter((item) => item.status === 'sending').length;
  return queue
    .filter((item) => item.status === 'waiting')
    .slice(0, Math.max(0, parallel - sending));
}

export function changeItem(queue: Queue, id: number, changes: Partial<UploadItem>): Queue {
  return queue.map((item) => (item.id === id ? { ...item, ...changes } : item));
}

export type Summary = {
  total: number;
  done: number;
  failed: number;
  active: number;
  /** 0…1 by bytes, over all uploads not cancelled; empty files count a little too. */
  share: number;
};

export function summarise(queue: Queue): Summary {
  const counted = queue.filter((item) => item.status !== 'cancelled');
  const weight = (item: UploadItem) => item.size_bytes + 1000;
  const whole = counted.reduce((sum, item) => sum + weight(item), 0);
  const part = counted.reduce(
    (sum, item) => sum + (isEnded(item) ? weight(item) : item.sent_bytes),
    0,
  );
  return {
    total: counted.length,
    done: counted.filter((item) => item.status === 'done').length,
    failed: counted.filter((item) => item.status === 'failed').length,
    active: counted.filter((item) => !isEnded(item)).length,
    share: whole === 0 ? 1 : part / whole,
  };
}

/** `photo.jpg` → `photo (2).jpg` → `photo (3).jpg`. */
export function nextName(name: string): string {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const numbered = /^(.*) \((\d+)\)$/.exec(stem);
  return numbered
    ? `${numbered[1]} (${Number(numbered[2]) + 1})${extension}`
    : `${stem} (2)${extension}`;
}
