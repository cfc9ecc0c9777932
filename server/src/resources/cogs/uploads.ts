/**
 * Files that come in one request. Their bytes are recorded, stored, and become a cog; when
 * anything fails on the way, nobody ever sees them and the collector removes them.
 */
import mime from 'mime';
import type { Db } from '../../db/connection.ts';
import { badField, nameCollision } from '../../errors.ts';
import type { IncomingFile } from '../../http/file-form.ts';
import type { Caller, Services } from '../../services.ts';
import { getCog, requireFolder, rootId } from './cogs.ts';
import { addFile } from './files.ts';
import { checkedName } from './names.ts';
import { markDead, objectStored, recordObject, whileWriting } from './objects.ts';
import { findChild } from './queries.ts';
import type { Cog } from './schema.ts';

/** A crash in the middle is cleaned up that long after; a running upload is extended. */
const pendingSeconds = 3600;

type Upload = {
  object_id: number;
  name: string;
  mime_type: string;
  size_bytes: number;
  checksum_sha256: string;
};

type Fields = Readonly<{ parent_id?: string }>;

/**
 * One file on its way in: `store` takes its bytes, `makeFile` makes the cog of them, and
 * `dropUnused` lets go of bytes that no cog was made of.
 *
 * @param mayRepeat the name may be there already, as the result of the same request before.
 */
export function receiveFile(services: Services, caller: Caller, mayRepeat: boolean) {
  const { db } = services;
  let upload: Upload | undefined;
  let isUsed = false;

  return {
    /** @throws DomainError before any byte is read, where `before` tells the folder. */
    store: async (file: IncomingFile, before: Fields): Promise<void> => {
      const parentId = parentIdOf(before);
      const name = checkedName(file.name, ['body', 'file']);
      if (parentId !== undefined) await checkUpload(db, caller, parentId, name, mayRepeat);
      upload = await storeUpload(services, caller, { ...file, name });
    },

    /** With all checks again: rights may have gone while the bytes came. */
    makeFile: async (tx: Db, fields: Fields): Promise<Cog> => {
      if (!upload) throw new Error('There is no file to make a cog of.');
      const cog = await createFile(tx, caller, upload, parentIdOf(fields));
      isUsed = true;
      return cog;
    },

    /** What makes two uploads the same request. */
    fingerprint: (fields: Fields) => {
      const { object_id: _, ...content } = upload ?? { object_id: 0 };
      return { ...content, parent_id: parentIdOf(fields) };
    },

    dropUnused: async (): Promise<void> => {
      if (upload && !isUsed) await markDead(db, caller.tenant_id, [upload.object_id]);
    },
  };
}

function checkUpload(db: Db, caller: Caller, parentId: number, name: string, mayRepeat: boolean) {
  return db.transaction(async (tx) => {
    await requireFolder(tx, caller, parentId);
    if (mayRepeat) return;
    if (await findChild(tx, caller.tenant_id, parentId, name)) throw nameCollision(name);
  });
}

async function storeUpload(
  { db, storage }: Services,
  { tenant_id }: Caller,
  { name, declared_type, expected_bytes, bytes }: IncomingFile,
): Promise<Upload> {
  const object = await recordObject(db, tenant_id, { expires_in_seconds: pendingSeconds });
  try {
    const stored = await whileWriting(db, { tenant_id, id: object.id }, () =>
      storage.write(object.key, bytes, { expected_bytes }),
    );
    await objectStored(db, tenant_id, object.id, stored);
    return { object_id: object.id, name, mime_type: typeOf(name, declared_type), ...stored };
  } catch (error) {
    await markDead(db, tenant_id, [object.id]);
    throw error;
  }
}

function createFile(
  db: Db,
  caller: Caller,
  upload: Upload,
  parentId: number | undefined,
): Promise<Cog> {
  return db.transaction(async (tx) => {
    const parent = await requireFolder(tx, caller, parentId ?? (await rootId(tx, caller)));
    const { tenant_id, user_id } = caller;
    const file = { ...upload, tenant_id, parent_id: parent.id, owner_id: user_id };
    const { id } = await addFile(tx, file, { on_collision: 'fail' });
    return getCog(tx, caller, id);
  });
}

function parentIdOf({ parent_id: text }: Fields): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badField('parent_id', 'Must be a whole number.', 'type');
}

/**
 * What the client says a file is; where that is what clients say by default, what its name
 * says. Only told on, never trusted: see downloads.ts.
 */
function typeOf(name: string, declared: string) {
  const isDefault = ['application/octet-stream', 'text/plain'].includes(declared);
  const isType = /^[a-z0-9][\w.+-]{0,126}\/[a-z0-9][\w.+-]{0,126}$/.test(declared);
  if (isType && !isDefault) return declared;
  return mime.getType(name) ?? (isType ? declared : 'application/octet-stream');
}
