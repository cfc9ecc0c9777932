/**
 * Caches the caller of a credential, for a minute at most. The triggers of migration 0065 announce
 * changes to every process; the words used here match theirs.
 */
import { hash } from 'node:crypto';
import type { Notices } from '../../db/notices.ts';
import { Remembered } from '../../db/remembered.ts';

/** A minute is also the interval at which an API key's last use is recorded. */
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

/** The cache key of a credential: a hash, so that a memory dump holds no usable credential. */
export const nameOf = (credential: string) => hash('sha256', credential, 'base64');
