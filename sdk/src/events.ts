/**
 * Server-sent events as a sequence. If the connection is cut, it resumes on a new one without a
 * gap. For Node and browsers; EventSource cannot send an access token.
 */
import { anyOf } from './any-of.ts';
import type { Client } from './client.ts';
import { ApiError } from './errors.ts';
import type { RunEvent, RunsEvent } from './run-events.ts';
import { wait } from './wait.ts';

type FollowOptions = { signal?: AbortSignal | undefined };

/**
 * The events of a run, from its current state to its end.
 *
 * @throws ApiError if it may not be watched, and errors of `fetch` if the service stays
 *   unreachable.
 */
export const followRun = (client: Client, run_id: number, { signal }: FollowOptions = {}) =>
  follow<RunEvent>(
    (headers, of) => client.watchRun({ path: { run_id }, headers, signal: of }),
    signal,
  );

/** The events of all runs of the tenant; endless. @throws as `followRun`. */
export const followRuns = (client: Client, { signal }: FollowOptions = {}) =>
  follow<RunsEvent>((headers, of) => client.watchRuns({ headers, signal: of }), signal);

type Open = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;

/**
 * The service sends at least a heartbeat every 15 seconds; after three missed ones the connection
 * is dead.
 */
const silent_ms = 45_000;
const firstPause_ms = 300;
const longestPause_ms = 30_000;
/** A connection that lasted this long was probably cut for a new reason. */
const lasting_ms = 15_000;

async function* follow<Event extends { event: string; data: unknown }>(
  open: Open,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event> {
  let last: string | undefined;
  for (let cuts = 0; ; cuts += 1) {
    const began = performance.now();
    // Closes the connection in every case.
    const over = new AbortController();
    const either = anyOf(over.signal, signal);
    const position: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
    try {
      const answer = await openStream(open, { accept: 'text/event-stream', ...position }, either);
      for await (const { id, event, data } of eventsIn(answer, over)) {
        last = id ?? last;
        if (event === undefined || data === undefined) continue;
        yield { event, data: JSON.parse(data) } as Event;
        if (event === 'end') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ConnectionCut)) throw error;
    } finally {
      over.abort();
    }
    if (performance.now() - began > lasting_ms) cuts = 0;
    const pause_ms = Math.min(longestPause_ms, firstPause_ms * 2 ** cuts);
    // Random, so that thousands of clients cut off together do not reconnect together.
    await wait(pause_ms * (0.5 + Math.random() / 2), signal);
  }
}

/** An established connection was lost. */
class ConnectionCut extends Error {}

/** The client retries temporary errors itself; if too many streams are open, that takes longer. */
async function openStream(open: Open, headers: Record<string, string>, signal: AbortSignal) {
  try {
    return await open(headers, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 429)
      throw new ConnectionCut('too many streams', { cause: error });
    throw error;
  }
}

type Block = { id?: string; event?: string; data?: string };

async function* eventsIn(answer: Response, over: AbortController): AsyncGenerator<Block> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const timer = setTimeout(() => over.abort(), silent_ms);
    const { value, done } = await reader
      .read()
      .catch((cause: unknown) => {
        throw new ConnectionCut('the connection was lost', { cause });
      })
      .finally(() => clearTimeout(timer));
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks.map(readBlock);
  }
}

function readBlock(block: string): Block {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).replace(/^ /, '');
  }
  return fields;
}
