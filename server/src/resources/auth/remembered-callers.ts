/**
 * Who a credential stands for, remembered for a minute at most. The triggers of migration 0065
 * tell every process what ended or changed; the words here are theirs.
 */
import { hash } from 'node:crypto';
import type { Notices } from '../../db/notices.ts';
import { Remembered } from '../../db/remembered.ts';

/** A minute is also how often the last use of an API key is noted. */
const limits = { most: 10_000, longest_ms: 60_000 };

export const rememberCallers = <Caller>(notices: Notices) =>
  new Remembered<Caller>(notices, 'callers', limits);

/** What a credential depends on, in the words of the triggers. */
export const groundOf = {
  tenant: (id: number) => `tenant ${id}`,
  user: (id: number) => `user ${id}`,
  key: (id: number) => `key ${id}`,
  session: (uid: string) => `session ${uid}`,
  grant: (idHash: Buffer) => `grant \\x${idHash.toString('hex')}`,
  worker: (id: number) => `worker ${id}`,
};

/** The name of a credential in memory, so that a dump of it holds none that can be used. */
export const nameOf = (credential: string) => hash('sha256', credential, 'base64');
