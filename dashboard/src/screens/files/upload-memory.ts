/**
 * Large uploads that this browser has begun, so that they can be resumed after a reload. What is
 * stored of them the service knows. Each tab holds a lock on those that it sends, so that no other
 * offers to resume them.
 */

export type Remembered = {
  upload_id: number;
  folder_id: number;
  path: string;
  size_bytes: number;
  /** Of the file, in milliseconds: a changed one must not be mixed with what is stored. */
  last_modified: number;
};

const place = 'cogworks.uploads';
const mostRemembered = 100;

export function remembered(): Remembered[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return Array.isArray(read) ? (read as Remembered[]) : [];
  } catch {
    return [];
  }
}

export function remember(one: Remembered): void {
  write([...others(one.upload_id), one].slice(-mostRemembered));
}

export const forget = (upload_id: number): void => write(others(upload_id));

const others = (upload_id: number) => remembered().filter((one) => one.upload_id !== upload_id);

function write(all: readonly Remembered[]) {
  try {
    localStorage.setItem(place, JSON.stringify(all));
  } catch {
    // No room, or not allowed: then uploads cannot be resumed after a reload.
  }
}

const lockOf = (upload_id: number) => `cogworks.upload.${upload_id}`;

// Browsers have locks only on secure origins.
const locks = () => (globalThis.isSecureContext ? navigator.locks : undefined);

/** Until the page is closed, or the upload has ended. */
export function holdWhile(upload_id: number, sending: Promise<unknown>): void {
  void locks()?.request(lockOf(upload_id), () => sending.catch(() => {}));
}

/** The remembered uploads that no tab is sending. */
export async function unattended(): Promise<Remembered[]> {
  const all = remembered();
  if (all.length === 0) return [];
  const held = new Set((await locks()?.query())?.held?.map(({ name }) => name));
  return all.filter(({ upload_id }) => !held.has(lockOf(upload_id)));
}
