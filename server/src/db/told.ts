/** What the database tells its own session, kept until it is committed. */
import type { Message } from './clients.ts';

/**
 * Is told what a statement or transaction of ours notified by the function `tell` of the database,
 * as soon as it is committed: before whoever waits for it goes on.
 */
export type OnTold = (channel: string, payload: string) => void;

/** The condition by which the function `tell` speaks to its own session (migration 0065). */
const tellCode = 'ZN001';

/** Keeps what the server tells on each connection until it is committed. */
export function makeTold(onTold: OnTold = () => {}) {
  const words = new WeakMap<object, { channel: string; payload: string }[]>();
  return {
    note: (client: object, { code, message = '', detail = '' }: Message) => {
      if (code !== tellCode) return;
      const word = { channel: message, payload: detail };
      const before = words.get(client);
      if (before) before.push(word);
      else words.set(client, [word]);
    },
    passOn: (client: object) => {
      const committed = words.get(client);
      if (!committed) return;
      words.delete(client);
      for (const { channel, payload } of committed) onTold(channel, payload);
    },
    drop: (client: object) => void words.delete(client),
  };
}
