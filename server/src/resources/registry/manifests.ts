/**
 * Manifests and tags of images. All members of a tenant see, pull and push them; who made a tag or a
 * manifest, and administrators, change and delete it, as with workflows.
 */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { discardObjects, markDead } from '../../objects/objects.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { isDigest } from './addresses.ts';
import { holdBlobs, setUnused } from './blob-queries.ts';
import { becomeBlob, storeBuffer } from './blobs.ts';
import {
  digestDiffers,
  manifestBlobUnknown,
  manifestInvalid,
  manifestUnknown,
  notAllowed,
} from './faults.ts';
import {
  addManifest,
  addReferences,
  findManifest,
  holdManifests,
  isNamedByOthers,
  lockManifest,
  lockTag,
  type ManifestRow,
  removeManifest,
  removeTag,
  setImageMaker,
  setTag,
} from './manifest-queries.ts';
import { type Descriptor, type ManifestShape, shapeOf } from './manifest-shape.ts';

/** Of the specification: registries accept this much, and need not accept more. */
export const mostManifestBytes = 4 * 1024 * 1024;

export type Place = { tenant_id: number; repository: string };

/** Who pushes; the installation itself has no user. */
export type Pusher = Pick<Caller, 'tenant_id' | 'role'> & { user_id: number | null };

/** @throws DomainError `MANIFEST_UNKNOWN` */
export async function requireManifest(
  { readDb }: Pick<Services, 'readDb'>,
  place: Place,
  reference: string,
): Promise<ManifestRow> {
  const manifest = await findStored({ readDb }, place, reference);
  if (!manifest) throw manifestUnknown();
  return manifest;
}

/** By its tag or its digest; undefined if it is not here. */
export const findStored = (
  { readDb }: Pick<Services, 'readDb'>,
  place: Place,
  reference: string,
): Promise<ManifestRow | undefined> => findManifest(readDb, place, reference);

/**
 * Stores a manifest, exactly as it comes, under its digest and the tag, if one is given.
 *
 * @throws DomainError `MANIFEST_INVALID`, `MANIFEST_BLOB_UNKNOWN`, `DIGEST_INVALID`; `DENIED` for a
 *   tag that somebody else made. Then nothing is changed.
 */
export async function putManifest(
  services: Pick<Services, 'db' | 'storage'>,
  caller: Pusher,
  repository: string,
  reference: string,
  { bytes, type }: { bytes: Buffer; type: string | undefined },
): Promise<ManifestShape> {
  const { db } = services;
  const { tenant_id } = caller;
  const shape = shapeOf(bytes, type);
  const tag = isDigest(reference) ? undefined : reference;
  if (tag === undefined && shape.digest !== reference) throw digestDiffers(shape.digest);
  const place = { tenant_id, repository };
  await db.transaction((tx) => requireContents(tx, place, shape));

  const piece = await storeBuffer(services, tenant_id, bytes);
  try {
    await db.transaction(async (tx) => {
      const references = await requireContents(tx, place, shape);
      const unused = await becomeBlob(tx, services.storage, tenant_id, piece);
      await addManifest(tx, place, {
        ...{ digest: shape.digest, media_type: shape.media_type },
        ...{ artifact_type: shape.artifact_type, subject: shape.subject },
        annotations: shape.annotations && JSON.stringify(shape.annotations),
        user_id: caller.user_id,
      });
      await addReferences(tx, place, shape.digest, references);
      if (tag !== undefined) await moveTag(tx, caller, place, tag, shape.digest);
      if (unused) await discardObjects(tx, [unused]);
    });
  } catch (error) {
    await markDead(db, tenant_id, [piece.id]);
    throw error;
  }
  return shape;
}

/** Deletes a tag, or a manifest with its tags. Blobs are removed later, see collecting.ts. */
export async function deleteManifest(
  db: Db,
  caller: Caller,
  repository: string,
  reference: string,
): Promise<void> {
  const place = { tenant_id: caller.tenant_id, repository };
  await db.transaction(async (tx) => {
    if (!isDigest(reference)) {
      const tag = await lockTag(tx, place, reference);
      if (!tag) throw manifestUnknown();
      requireMaker(caller, tag, `the tag ${reference}`);
      await removeTag(tx, place, reference);
      await recordDeleted(tx, caller, `${repository}:${reference}`);
      return;
    }
    // Blobs are locked before their manifest, as a push of it does.
    await setUnused(tx, place.tenant_id, repository, reference);
    const manifest = await lockManifest(tx, place, reference);
    if (!manifest) throw manifestUnknown();
    requireMaker(caller, manifest, 'this manifest');
    if (!isAdmin(caller) && (await isNamedByOthers(tx, place, reference, caller.user_id))) {
      throw notAllowed(
        'Somebody else has a tag or a list with this manifest: an administrator may delete it.',
      );
    }
    await removeManifest(tx, place, reference);
    await recordDeleted(tx, caller, `${repository}@${reference}`);
  });
}

/** Makes another user the maker of the images of one. @returns how many. */
export const takeOverImagesOf = (
  tx: Db,
  change: { tenant_id: number; from: number; to: number },
): Promise<number> => setImageMaker(tx, change);

const recordDeleted = (tx: Db, caller: Caller, image: string) =>
  recordEvent(tx, caller, { action: 'image.deleted', target_type: 'image', target_id: image });

async function moveTag(tx: Db, caller: Pusher, place: Place, tag: string, digest: string) {
  const by = { user_id: caller.user_id, is_admin: isAdmin(caller) };
  if (await setTag(tx, place, tag, digest, by)) return;
  throw notAllowed(
    `Somebody else made the tag ${tag}: they and administrators may move it. Push another tag.`,
  );
}

/** Holds all that the manifest refers to until the transaction ends. @returns what is here. */
async function requireContents(tx: Db, place: Place, shape: ManifestShape): Promise<string[]> {
  const { blobs, manifests, foreign } = shape;
  const digests = digestsOf([...blobs, ...manifests]);
  const held = await holdBlobs(tx, place.tenant_id, [...digests, ...digestsOf(foreign)]);
  const children = manifests.map(({ digest }) => digest);
  const here = children.length > 0 ? await holdManifests(tx, place, children) : [];
  const sizes = new Map(held.map(({ digest, size_bytes }) => [digest, size_bytes]));
  const known = new Set(here.map(({ digest }) => digest));
  const missing = digests.filter((digest) => !sizes.has(digest));
  missing.push(...children.filter((digest) => sizes.has(digest) && !known.has(digest)));
  if (missing.length > 0) throw manifestBlobUnknown(missing);
  const wrong = [...blobs, ...manifests].find(({ digest, size }) => sizes.get(digest) !== size);
  if (wrong) {
    const size = sizes.get(wrong.digest);
    throw manifestInvalid(`${wrong.digest} has ${size} bytes, not ${wrong.size}.`);
  }
  return [...sizes.keys()];
}

const digestsOf = (descriptors: readonly Descriptor[]) => [
  ...new Set(descriptors.map(({ digest }) => digest)),
];

const isAdmin = ({ role }: Pick<Caller, 'role'>) => role === 'admin';

function requireMaker(caller: Caller, { created_by }: { created_by?: number }, what: string) {
  if (created_by === caller.user_id || isAdmin(caller)) return;
  throw notAllowed(`Only who made ${what}, and administrators, may delete it.`);
}
