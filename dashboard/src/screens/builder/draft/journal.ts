/**
 * Edits that are not saved yet, kept in this browser: each one before it is sent, with the state of
 * the draft that it began from. A reload, a crash and a lost connection lose nothing.
 */
import type { Change } from '@cogworks/graph/edit/changes';
import type { Graph } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';

/** A state of the draft that the service has. */
export type Base = { graph: Graph; etag: string };
export type KeptStep = { words: string; changes: Change[] };

/** What one tab has kept of one draft. */
export type Kept = Base & { tab: string; at: number; steps: KeptStep[] };

export type Journal = {
  /** @param base is kept with the first step. */
  append(base: Base, step: KeptStep): Promise<void>;
  /** Puts these in place of all that was kept; without steps nothing is. */
  replace(base: Base, steps: readonly KeptStep[]): Promise<void>;
};

export type Place = { user: number; version: number; tab: string };

type DraftRow = Base & Place & { id: string; at: number };
type StepRow = KeptStep & { draft: string };

const name = 'cogworks-drafts';
/** Older ones are of drafts that nobody has missed. */
const kept_ms = 60 * 24 * 3600 * 1000;

const idOf = ({ user, version, tab }: Place) => `${user}/${version}/${tab}`;

export function openJournal(place: Place): Journal {
  const id = idOf(place);
  const put = (stores: Stores, base: Base) =>
    stores.drafts.put({ ...place, ...base, id, at: Date.now() } satisfies DraftRow);
  const add = (stores: Stores, { words, changes }: KeptStep) =>
    stores.steps.add({ words, changes, draft: id } satisfies StepRow);
  return {
    append: (base, step) =>
      write(async (stores) => {
        if ((await asked(stores.drafts.count(id))) === 0) put(stores, base);
        add(stores, step);
      }),
    replace: (base, steps) =>
      write(async (stores) => {
        await removeSteps(stores, id);
        if (steps.length === 0) stores.drafts.delete(id);
        else put(stores, base);
        for (const step of steps) add(stores, step);
      }),
  };
}

/** What tabs have kept of a draft, the latest first. */
export async function keptOf({ user, version }: Omit<Place, 'tab'>): Promise<Kept[]> {
  const found: Kept[] = [];
  await write(async (stores) => {
    const rows: DraftRow[] = await asked(stores.drafts.getAll());
    for (const row of rows) {
      if (row.at < Date.now() - kept_ms) {
        await removeSteps(stores, row.id);
        stores.drafts.delete(row.id);
      } else if (row.user === user && row.version === version) {
        const steps: StepRow[] = await asked(stores.steps.index('draft').getAll(row.id));
        const { graph, etag, tab, at } = row;
        found.push({ graph, etag, tab, at, steps });
      }
    }
  });
  return found.toSorted((a, b) => b.at - a.at);
}

export const forget = (place: Place): Promise<void> =>
  write(async (stores) => {
    await removeSteps(stores, idOf(place));
    stores.drafts.delete(idOf(place));
  });

type Stores = { drafts: IDBObjectStore; steps: IDBObjectStore };

async function removeSteps({ steps }: Stores, draft: string) {
  for (const key of await asked(steps.index('draft').getAllKeys(draft))) steps.delete(key);
}

/** Transactions on the same stores run one after another, in the order of these calls. */
async function write(change: (stores: Stores) => Promise<void>): Promise<void> {
  const transaction = (await database()).transaction(['drafts', 'steps'], 'readwrite');
  const ended = new Promise<void>((done, failed) => {
    transaction.oncomplete = () => done();
    transaction.onerror = () => failed(transaction.error);
    transaction.onabort = () => failed(transaction.error);
  });
  ended.catch(() => {});
  const [drafts, steps] = [transaction.objectStore('drafts'), transaction.objectStore('steps')];
  await change({ drafts, steps });
  await ended;
}

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('drafts', { keyPath: 'id' });
      request.result
        .createObjectStore('steps', { autoIncrement: true })
        .createIndex('draft', 'draft');
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
    request.onblocked = () => failed(new Error(t`The store of drafts is in use.`));
  });
  return opened;
}

const asked = <Answer>(request: IDBRequest<Answer>): Promise<Answer> =>
  new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
