/** One connection that listens, from its start to its loss; notices.ts makes the next one. */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type ConnectTo, configOf } from './connection.ts';

/** How long after an answer the server is asked again whether it is there. */
const pulse_ms = 250;

/** How long an ending connection may take to say goodbye. */
const ending_ms = 500;

export type Listener = {
  /** Connects if it is not yet, and resolves once notices of these channels come. */
  listen(channels: readonly string[]): Promise<void>;
  /**
   * When the last question was sent that was answered: all notices have come of what was committed
   * and answered before. Milliseconds of `performance.now()`; -Infinity while nothing proves it.
   */
  provenAt(): number;
  /** Somebody between us and the server may give our session to others: notices prove nothing. */
  isPooled(): boolean;
  /** Resolves with the reason when the connection is gone. */
  lost: Promise<unknown>;
  stop(): Promise<void>;
};

/**
 * @param hear is given each notice, and must not throw.
 * @param silent_ms a server that answers nothing for so long is given up.
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
  /** Channels whose notices may not come yet. */
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
    // A pooler tells its clients a number of its own.
    isPooled = rows[0]?.pid !== (client as unknown as { processID: number }).processID;
    void keepAsking();
  }

  /** PostgreSQL sends the notices it has for a session before it answers. */
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
      // Before it is connected there is nobody to take leave of.
      const goodbye = socket.readyState === 'open' ? client.end().catch(() => {}) : undefined;
      await Promise.race([goodbye, delay(ending_ms, undefined, { ref: false })]);
      socket.destroy();
    },
  };
}
