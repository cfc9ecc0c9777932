/** The stored bytes of files, as the database knows them. */
import type { Db } from '../src/db/connection.ts';

export const objectsOf = (db: Db, cogIds: number[]) => db<
  { key: string; state: string; released_at?: string }[]
>`
  select objects.key, objects.state, objects.released_at
  from objects
  join cogs on cogs.object_id = objects.id
  where cogs.id = any(${cogIds})
`;

export const storedKeys = async (db: Db, cogIds: number[]): Promise<string[]> =>
  (await objectsOf(db, cogIds)).map(({ key }) => key);
