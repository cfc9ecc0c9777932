/**
 * ZIPs of folders and of selections, made while they are sent: nothing is stored. All that determines
 * the layout is in the database, so length, ETag and every range are known before a byte is read.
 */
import type { Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { DomainError, invalid, notFound } from '../../../errors.ts';
import { missingCrc32s } from '../../../objects/crc32.ts';
import { liveObjects } from '../../../objects/objects.ts';
import type { Services } from '../../../services.ts';
import type { ByteRange } from '../../../storage/storage.ts';
import { Turns } from '../../../turns.ts';
import { copyArchive, type Source } from '../../../zip/archive.ts';
import { type Layout, Members } from '../../../zip/members.ts';
import { type Reached, reach } from '../../permissions/access.ts';
import { numberedName } from '../places/names.ts';
import { type MemberRow, openMembers, portion, readMembers } from './queries.ts';

export type Zip = Pick<Layout, 'etag' | 'size_bytes'> & {
  copyTo(range: ByteRange | undefined, begin: () => Writable): Promise<void>;
  /** To be called once, when it has been sent. */
  close(): void;
};

export type Zips = ReturnType<typeof openZips>;

/** Folders are found by it and their selection; PostgreSQL's ids never come near 2⁴³. */
export const mostSelected = 1000;
const keyOf = (position: number, id: number) => id * 1024 + position;

export function openZips({ db, storage, limits }: Pick<Services, 'db' | 'storage' | 'limits'>) {
  const { turns: turnLimits, ...most } = limits.zips;
  const turns = new Turns(turnLimits);
  /** Members of the ZIPs that are being sent, by tenant. */
  const held = new Map<number, number>();

  /**
   * Lays out a ZIP of what the caller may see of these cogs, which has the rest as a number.
   *
   * @throws DomainError `not_found` if they may see none of them; 400 `too_many_members`, 429
   *   `too_many_at_once`, 503 `zip_in_preparation`.
   */
  async function open(caller: Caller, cogIds: readonly number[], gone: AbortSignal): Promise<Zip> {
    const { tenant_id } = caller;
    const endTurn = turns.takeAtOnce(caller) ?? (await turns.take(caller, gone));
    try {
      const members = await readTree(db, caller, cogIds, most.members);
      const unknown = members.withoutCrc32();
      if (unknown.length > 0) {
        members.setCrc32s(await missingCrc32s({ db, storage }, tenant_id, unknown));
      }
      const close = hold(tenant_id, members.count);
      const layout = await members.arrange(numberedName).catch((error: unknown) => {
        close();
        throw error;
      });
      const source = sourceOf({ db, storage }, tenant_id);
      const { etag, size_bytes } = layout;
      return {
        ...{ etag, size_bytes, close },
        copyTo: (range, begin) => copyArchive(layout, source, range, begin),
      };
    } finally {
      endTurn();
    }
  }

  function hold(tenantId: number, count: number): () => void {
    const ofTenant = held.get(tenantId) ?? 0;
    const inAll = [...held.values()].reduce((sum, one) => sum + one, 0);
    if (ofTenant + count > most.members_per_tenant || inAll + count > most.members_in_all) {
      throw new DomainError(
        'too_many_requests',
        'Too many large ZIPs are being sent at the moment. Try again when some are done.',
        { code: 'too_many_at_once', retry_after_seconds: 60 },
      );
    }
    held.set(tenantId, ofTenant + count);
    return () => {
      const left = (held.get(tenantId) ?? 0) - count;
      if (left > 0) held.set(tenantId, left);
      else held.delete(tenantId);
    };
  }

  return { open };
}

/** Reads what is at and below the cogs, as of one moment. */
async function readTree(
  db: Db,
  caller: Caller,
  cogIds: readonly number[],
  most: number,
): Promise<Members> {
  return db.transaction(
    async (tx) => {
      const seen = new Map((await reach(tx, caller, cogIds)).map((cog) => [cog.id, cog]));
      const chosen = cogIds.flatMap((id) => seen.get(id) ?? []).filter(isVisible);
      if (chosen.length === 0) throw notFound('Cog');
      const starts = chosen.map(({ id, grant }) => ({
        id,
        sees_all: caller.role === 'admin' || grant !== undefined,
      }));
      const members = new Members();
      const folders = new Map<number, number>();
      let omitted = new Set(cogIds).size - chosen.length;
      const opened = openMembers(tx, caller, starts).send();
      for (let count = 0; ; ) {
        const [rows] = await Promise.all([readMembers(tx), opened]);
        for (const row of rows) {
          if (!row.is_visible) omitted += 1;
          else addMember(members, folders, row);
        }
        count += rows.length;
        if (count > most) throw tooManyMembers(most);
        if (rows.length < portion) break;
      }
      if (omitted > 0) addOmitted(members, omitted);
      return members;
    },
    { readsFirst: true },
  );
}

const isVisible = ({ access }: Reached) => access !== undefined;

function addMember(members: Members, folders: Map<number, number>, row: MemberRow): void {
  const { position, id, shown_in, name, modified, object_id, size_bytes, crc32: crc } = row;
  const folder = shown_in === undefined ? undefined : folders.get(keyOf(position, shown_in));
  if (row.is_folder) {
    folders.set(keyOf(position, id), members.add({ folder, name, modified }));
    return;
  }
  if (object_id === undefined || size_bytes === undefined) throw new Error('A file has no bytes.');
  members.add({ folder, name, modified, file: { object_id, size_bytes, crc32: crc } });
}

/** The number alone: a name might tell something. */
function addOmitted(members: Members, count: number): void {
  const [were, them] = count === 1 ? ['item was', 'it'] : ['items were', 'them'];
  const text = Buffer.from(`${count} ${were} left out: there is no access to ${them}.\n`);
  members.addText('_omitted.txt', text, crc32(text));
}

const tooManyMembers = (most: number) =>
  invalid(
    `There are more than ${most.toLocaleString('en')} files and folders in this. Download parts of it.`,
    'too_many_members',
  );

/** Finds the bytes of several hundred objects at a time. */
function sourceOf({ db, storage }: Pick<Services, 'db' | 'storage'>, tenantId: number): Source {
  let expected = new Map<number, { key: string; size_bytes: number }>();
  return {
    expect: async (ids) => {
      const rows = ids.length > 0 ? await liveObjects(db, tenantId, ids) : [];
      expected = new Map(rows.map((row) => [row.id, row]));
    },
    copyTo: async (id, range, begin) => {
      const object = expected.get(id);
      if (!object) throw new Error('A file was removed for ever while its ZIP was being sent.');
      await storage.copyTo(object, range, begin);
    },
  };
}
