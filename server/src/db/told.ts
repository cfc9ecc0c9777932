/** Notices that the database sends to its own session, kept until the transaction commits. */
import type { Message } from './clients.ts';

/**
 * Receives what our own statement or transaction notified with the database function `tell`, as
 * soon as it is committed, and before its caller resumes.
 */
export type OnTold = (channel: string, payload: string) => void;

/** The SQLSTATE that the function `tell` uses for its own session (migration 0065). */
const tellCode = 'ZN001';

/** Keeps notices of each connection until they are committed. */
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
