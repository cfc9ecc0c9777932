/** One listening connection, until it is lost; notices.ts then opens the next one. */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type ConnectTo, configOf } from './connection.ts';

/** Interval of liveness checks, after each answer. */
const pulse_ms = 250;

/** How long a connection may take to close cleanly. */
const ending_ms = 500;

export type Listener = {
  /** Connects if necessary, and resolves once notices of these channels are received. */
  listen(channels: readonly string[]): Promise<void>;
  /**
   * When the last answered check was sent: all notices of commits answered before that time have
   * been received. Milliseconds of `performance.now()`; -Infinity while nothing proves it.
   */
  provenAt(): number;
  /** Whether a pooler may give our server session to other clients: then notices prove nothing. */
  isPooled(): boolean;
  /** Resolves with the reason when the connection is lost. */
  lost: Promise<unknown>;
  stop(): Promise<void>;
};

/**
 * @param hear receives each notice, and must not throw. @param silent_ms a server that sends
 * nothing for this long is given up.
 */
export function openListener(
  to: ConnectTo,
  silent_ms: number,
  hear: (channel: string, payload: string) => void,
): Listener {
  const socket = new Socket();
  const config = { ...configOf(to), stream: () => socket, connectionTimeoutMillis: silent_ms };
  const client = new Client(config);
  const { promise: lost, resolve: lose } = Promise.withResolvers<unknown>();
  client.on('notification', ({ channel, payload = '' }) => hear(channel, payload));
  client.on('error', lose);
  client.on('end', () => lose(new Error('The connection ended.')));
  let connected: Promise<void> | undefined;
  let isPooled = false;
  let provenAt = Number.NEGATIVE_INFINITY;
  /** Channels whose LISTEN has not been answered yet. */
  let awaited = 0;

  const giveUp = (why: unknown) => {
    lose(why);
    socket.destroy();
  };

  async function ask(text: string) {
    const timer = setTimeout(giveUp, silent_ms, new Error(`No answer for ${silent_ms} ms.`));
    try {
      return await client.query(text);
    } finally {
      clearTimeout(timer);
    }
  }

  async function connect() {
    await client.connect();
    const { rows } = await ask('select pg_backend_pid() as pid');
    // A pooler reports a process id of its own to its clients.
    isPooled = rows[0]?.pid !== (client as unknown as { processID: number }).processID;
    void keepAsking();
  }

  /** PostgreSQL sends a session's pending notices before it answers. */
  async function keepAsking() {
    try {
      for (;;) {
        const sentAt = performance.now();
        await ask('select');
        provenAt = sentAt;
        await delay(pulse_ms, undefined, { ref: false });
      }
    } catch (error) {
      giveUp(error);
    }
  }

  return {
    listen: async (channels) => {
      awaited += channels.length;
      try {
        connected ??= connect();
        await connected;
        for (const channel of channels) {
          await ask(`listen ${client.escapeIdentifier(channel)}`);
          awaited -= 1;
        }
      } catch (error) {
        giveUp(error);
        throw error;
      }
    },
    provenAt: () => (awaited > 0 || isPooled ? Number.NEGATIVE_INFINITY : provenAt),
    isPooled: () => isPooled,
    lost,
    stop: async () => {
      // An unconnected client cannot be closed cleanly.
      const goodbye = socket.readyState === 'open' ? client.end().catch(() => {}) : undefined;
      await Promise.race([goodbye, delay(ending_ms, undefined, { ref: false })]);
      socket.destroy();
    },
  };
}
