/**
 * What is told by NOTIFY, heard on one connection per process that LISTENs and is made anew
 * whenever it is lost. Notices that are sent meanwhile are lost too, and a line can be dead
 * without a word: whoever remembers something until a notice ends it asks `isListening` before
 * each use, and forgets at each change of the connection.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ConnectTo } from './connection.ts';
import { type Listener, openListener } from './listener.ts';

/**
 * How old the proof may be that all notices have come. What was committed and answered longer ago
 * than this is known here, or `isListening` says no.
 */
export const stalest_ms = 1000;

/** A connection without an answer for so long is given up for a new one. */
const silent_ms = 5000;

const shortestPause_ms = 50;
const longestPause_ms = 2000;

export type Notices = {
  /**
   * Hears all notices of a channel, in the order of their commits, each after what it tells of
   * can be read.
   *
   * @returns ends it.
   */
  on(channel: string, handler: (payload: string) => void): () => void;
  /**
   * Passes on what this process notified itself. It comes again, like everybody's, and later than
   * the answer that a request may be waiting for.
   */
  pass(channel: string, payload: string): void;
  /**
   * Whether all notices have come of what was committed `stalest_ms` ago. Usually they come within
   * a few milliseconds; the bound is for a line that died in silence.
   */
  isListening(): boolean;
  /**
   * Is told when the connection is there, and when it is lost.
   *
   * @returns ends it.
   */
  onChange(handler: (isConnected: boolean) => void): () => void;
  close(): Promise<void>;
};

/** Connects when the first channel is asked for. */
export function openNotices(
  to: ConnectTo,
  options: { log?: Logger | undefined; silent_ms?: number } = {},
): Notices {
  const { log } = options;
  const handlers = new Map<string, Set<(payload: string) => void>>();
  const watchers = new Set<(isConnected: boolean) => void>();
  const closing = new AbortController();
  let listener: Listener | undefined;
  let isConnected = false;
  let life: Promise<void> | undefined;

  /** One handler that fails must not keep a notice from the others. */
  const tell = <T>(all: Iterable<(what: T) => void>, what: T) => {
    for (const handler of all) {
      try {
        handler(what);
      } catch (err) {
        log?.error({ err }, 'a notice could not be followed');
      }
    }
  };

  const pass = (channel: string, payload: string) => tell(handlers.get(channel) ?? [], payload);

  const change = (to: boolean) => {
    isConnected = to;
    tell(watchers, to);
  };

  /** Holds one connection until it is lost. @returns why it was. */
  async function holdOne(): Promise<unknown> {
    const current = openListener(to, options.silent_ms ?? silent_ms, pass);
    const stop = () => void current.stop();
    closing.signal.addEventListener('abort', stop);
    listener = current;
    try {
      await current.listen([...handlers.keys()]);
      if (current.isPooled()) log?.warn(pooled);
      change(true);
      return await current.lost;
    } catch (error) {
      return error;
    } finally {
      closing.signal.removeEventListener('abort', stop);
      listener = undefined;
      if (isConnected) change(false);
      await current.stop();
    }
  }

  async function live() {
    for (let pause_ms = 0; !closing.signal.aborted; ) {
      const began = performance.now();
      const err = await holdOne();
      if (closing.signal.aborted) return;
      // One that lasted was lost for another reason than the last one.
      if (performance.now() - began > longestPause_ms) pause_ms = 0;
      if (pause_ms === 0)
        log?.warn({ err }, 'the connection that hears notices was lost, and is made anew');
      pause_ms = Math.min(longestPause_ms, Math.max(shortestPause_ms, pause_ms * 2));
      await delay(pause_ms * (0.5 + Math.random() / 2), undefined, closing).catch(() => {});
    }
  }

  return {
    on: (channel, handler) => {
      const known = handlers.get(channel);
      if (known) known.add(handler);
      else {
        handlers.set(channel, new Set([handler]));
        // What fails ends the connection, and the next one listens to all of them.
        listener?.listen([channel]).catch(() => {});
      }
      life ??= live();
      return () => void handlers.get(channel)?.delete(handler);
    },
    pass,
    isListening: () =>
      isConnected && listener !== undefined && performance.now() - listener.provenAt() < stalest_ms,
    onChange: (handler) => {
      watchers.add(handler);
      return () => void watchers.delete(handler);
    },
    close: async () => {
      closing.abort();
      await life;
    },
  };
}

const pooled =
  'Between this process and PostgreSQL stands a connection pooler, which may keep notices to itself: nothing is remembered that depends on them.';
