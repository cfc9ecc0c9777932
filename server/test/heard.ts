/** What a process hears of changes that others make in the database. */
import { randomUUID } from 'node:crypto';
import type { TestServer } from './server.ts';

/** Waits until the process has received the notices of all that was committed before. */
export async function untilHeard({ services: { db, notices } }: TestServer): Promise<void> {
  const mark = randomUUID();
  let isHeard = false;
  const end = notices.on('heard', (payload) => {
    // Notices come in the order of commits; those of other marks may be older.
    if (payload === mark) isHeard = true;
  });
  while (!isHeard) await db`select pg_notify('heard', ${mark})`;
  end();
}
