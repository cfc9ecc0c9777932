/**
 * Receives NOTIFY on one connection per process, reopened whenever it is lost. Notices sent in the
 * meantime are lost too, and a connection can be dead without an error. A cache that relies on
 * notices therefore checks `isListening` before each use, and is cleared whenever the connection
 * changes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ConnectTo } from './connection.ts';
import { type Listener, openListener } from './listener.ts';

/**
 * Maximum age of the proof that all notices were received. A commit answered longer ago than this
 * is known here, or `isListening` returns false.
 */
export const stalest_ms = 1000;

/** A connection without an answer for this long is replaced. */
const silent_ms = 5000;

const shortestPause_ms = 50;
const longestPause_ms = 2000;

export type Notices = {
  /**
   * Receives all notices of a channel, in commit order, each after its change can be read.
   *
   * @returns a function that unsubscribes.
   */
  on(channel: string, handler: (payload: string) => void): () => void;
  /**
   * Delivers a notice of this process directly. It arrives again by NOTIFY, but possibly later than
   * the answer a request is waiting for.
   */
  pass(channel: string, payload: string): void;
  /**
   * Whether all notices of commits older than `stalest_ms` have been received. Usually they arrive
   * within milliseconds; the bound covers connections that died without an error.
   */
  isListening(): boolean;
  /**
   * Called when the connection is gained and when it is lost.
   *
   * @returns a function that unsubscribes.
   */
  onChange(handler: (isConnected: boolean) => void): () => void;
  close(): Promise<void>;
};

/** Connects when the first channel is subscribed. */
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

  /** A handler that fails must not affect the others. */
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

  /** Keeps one connection until it is lost. @returns the reason. */
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
      // A long connection was probably lost for a new reason: start with no pause.
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
        // A failure ends the connection; the next one listens to all channels.
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
