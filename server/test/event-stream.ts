/** A client of event streams for tests: collects events, and waits for particular ones. */
import type { Client } from './cast.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent
export type Told = { event: string; data: any };

export type Watching = {
  status: number;
  headers: Headers;
  /** All events so far. */
  told: Told[];
  /** The last position, to resume from. */
  lastId: string;
  /**
   * Resolves with the first matching event of the stream, once the position after it has arrived.
   */
  until(isWanted: (told: Told) => boolean): Promise<Told>;
  /** Resolves when the server ends the stream or the connection is lost. */
  ended: Promise<void>;
  close(): void;
};

export async function watch(
  client: Pick<Client, 'fetch'>,
  path: string,
  lastId?: string,
): Promise<Watching> {
  const gone = new AbortController();
  const response = await client.fetch(path, {
    signal: gone.signal,
    ...(lastId === undefined ? {} : { headers: { 'last-event-id': lastId } }),
  });
  const waiting = new Set<() => void>();
  /** Whether the position after the last event is there: it may come in a later piece. */
  let isPlaced = true;
  const watching: Watching = {
    status: response.status,
    headers: response.headers,
    told: [],
    lastId: lastId ?? '',
    until: (isWanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = watching.told.find(isWanted);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        if (isPlaced) look();
        void watching.ended.then(() => {
          look();
          reject(new Error(`the stream ended after ${JSON.stringify(watching.told)}`));
        });
      }),
    ended: Promise.resolve(),
    close: () => gone.abort(),
  };
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        note(watching, block);
        if (block.startsWith('event: ')) isPlaced = false;
        if (!block.startsWith('id: ')) continue;
        isPlaced = true;
        for (const look of waiting) look();
      }
    }
  };
  watching.ended = read().catch(() => {});
  return watching;
}

function note(watching: Watching, block: string) {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  watching.lastId = fields.get('id') ?? watching.lastId;
  const [event, data] = [fields.get('event'), fields.get('data')];
  if (event !== undefined && data !== undefined)
    watching.told.push({ event, data: JSON.parse(data) });
}

/** Status changes of node runs in order: `each 0 running`. */
export const stepsOf = (told: readonly Told[]): string[] =>
  told
    .filter(({ event }) => event === 'node_run')
    .map(({ data }) => `${data.node_key} ${data.shard_index ?? '-'} ${data.status}`);

/** Status changes of the run, without immediate repetitions. */
export const statusesOf = (told: readonly Told[]): string[] =>
  told
    .filter(({ event }) => event === 'run')
    .map(({ data }) => data.status)
    .filter((status, at, all) => status !== all[at - 1]);
