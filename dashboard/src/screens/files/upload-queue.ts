/**
 * The uploads of this tab as data: waiting, sending, and ended. Pure; the store in uploads.ts
 * sends.
 */

export type UploadStatus =
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'cancelled';

export type UploadItem = {
  id: number;
  folder_id: number;
  /** Its name, after the folders it is in, separated by "/". */
  path: string;
  size_bytes: number;
  sent_bytes: number;
  status: UploadStatus;
  /** Why it failed, as a sentence. */
  problem?: string;
  /** Of a large file: what resumes it. */
  upload_id?: number;
  /** The file that it has become. */
  cog?: { id: number; mime_type?: string | undefined };
  /** Begun before the page was loaded, so that the user must choose the file again. */
  isWithoutFile?: boolean;
};

export type Queue = readonly UploadItem[];

const ended: ReadonlySet<UploadStatus> = new Set(['done', 'failed', 'skipped', 'cancelled']);

export const isEnded = ({ status }: UploadItem): boolean => ended.has(status);
export const isActive = ({ status }: UploadItem): boolean =>
  status === 'waiting' || status === 'sending';

/** Sent in several parts, so that they can be paused and resumed. */
export const isLarge = ({ size_bytes }: { size_bytes: number }, chunk_size: number): boolean =>
  size_bytes > chunk_size;

export type Summary = {
  total: number;
  done: number;
  failed: number;
  paused: number;
  active: number;
  /** Bytes that are still to be sent. */
  left_bytes: number;
  /** 0…1 by bytes, over all uploads not cancelled; empty files count a little too. */
  share: number;
};

export function summarise(queue: Queue): Summary {
  const counted = queue.filter(({ status }) => status !== 'cancelled' && status !== 'skipped');
  const count = (status: UploadStatus) => counted.filter((one) => one.status === status).length;
  const weight = (item: UploadItem) => item.size_bytes + 1000;
  const sum = (items: Queue, of: (item: UploadItem) => number) =>
    items.reduce((total, item) => total + of(item), 0);
  const whole = sum(counted, weight);
  const part = sum(counted, (item) => (isEnded(item) ? weight(item) : item.sent_bytes));
  return {
    total: counted.length,
    done: count('done'),
    failed: count('failed'),
    paused: count('paused'),
    active: counted.filter(isActive).length,
    left_bytes: sum(counted.filter(isActive), (item) => item.size_bytes - item.sent_bytes),
    share: whole === 0 ? 1 : part / whole,
  };
}

const order = { failed: 0, paused: 1, sending: 2, waiting: 3, done: 4, skipped: 5, cancelled: 6 };

/** Those that need attention first. */
export const byUrgency = (queue: Queue): UploadItem[] =>
  [...queue].sort((a, b) => order[a.status] - order[b.status] || a.id - b.id);
