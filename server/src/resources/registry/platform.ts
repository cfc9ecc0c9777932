/**
 * Images that the installation makes itself (images/): in the namespace `platform`, for all tenants to
 * pull and for nobody to push. A tenant without users has them, so their bytes are in nobody's limit.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Db } from '../../db/connection.ts';
import { DomainError } from '../../errors.ts';
import type { Layer } from '../../images/building/layer.ts';
import { wantNow } from '../../images/images.ts';
import type { Services } from '../../services.ts';
import { findPlatformTenant, requirePlatformTenant } from '../users/users.ts';
import { isDigest, platformImageIn, platformRepository } from './addresses.ts';
import { manifestUnknown } from './faults.ts';
import { findManifest, type ManifestRow } from './manifest-queries.ts';
import { findStored, type Place, putManifest } from './manifests.ts';
import { storeBlob } from './uploads.ts';

/** Whose images a repository has: the platform's are everybody's. */
export const holderOf = async (db: Db, repository: string, tenantId: number): Promise<number> =>
  platformImageIn(repository) === undefined ? tenantId : ((await findPlatformTenant(db)) ?? 0);

/** When to ask again for an image that is being made. */
const retrySeconds = 2;

/**
 * A manifest, or why it is not here.
 *
 * @throws DomainError `MANIFEST_UNKNOWN`, with a time to ask again if the image is being made, which
 *   begins with this.
 */
export async function requirePlatformManifest(
  services: Pick<Services, 'db' | 'readDb'>,
  place: Place,
  reference: string,
): Promise<ManifestRow> {
  const manifest = await findStored(services, place, reference);
  if (manifest) return manifest;
  const name = platformImageIn(place.repository) ?? '';
  if (isDigest(reference)) throw manifestUnknown();
  const { state, step } = await wantNow(services.db, { name, tag: reference });
  if (state === 'failed') throw manifestUnknown(`The image ${name} could not be made. ${step}`);
  if (state === 'absent') {
    throw manifestUnknown(
      `The image ${name}:${reference} is of another release. Make the workflow again from its template.`,
    );
  }
  throw new DomainError('not_found', `The image ${name} is being made: ${step ?? 'waiting'}.`, {
    code: 'MANIFEST_UNKNOWN',
    retry_after_seconds: retrySeconds,
  });
}

const searchPath = 'PATH=/usr/local/bin:/usr/bin:/bin';

/**
 * Stores an image of one layer for everybody, unless its tag is there: two that made it at the same
 * time may have had other packages, and what has been pulled must stay what it is.
 *
 * @returns the digest of the image that has the tag.
 */
export async function keepPlatformImage(
  services: Pick<Services, 'db' | 'storage' | 'keys' | 'limits'>,
  { name, tag }: { name: string; tag: string },
  layer: Layer,
): Promise<string> {
  const tenant_id = await requirePlatformTenant(services.db, services.keys);
  const place = { tenant_id, repository: platformRepository(name) };
  const there = await findManifest(services.db, place, tag);
  if (there) return there.digest;
  const config = Buffer.from(
    JSON.stringify({
      architecture: layer.architecture,
      os: 'linux',
      config: { Env: [searchPath] },
      rootfs: { type: 'layers', diff_ids: [layer.diff_id] },
    }),
  );
  const configDigest = `sha256:${createHash('sha256').update(config).digest('hex')}`;
  const store = (digest: string, bytes: Readable, expected_bytes: number) =>
    storeBlob(services, { tenant_id }, digest, { bytes, expected_bytes });
  await store(layer.digest, createReadStream(layer.path), layer.size_bytes);
  await store(configDigest, Readable.from([config]), config.length);
  const type = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: type,
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: configDigest,
      size: config.length,
    },
    layers: [
      {
        mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
        digest: layer.digest,
        size: layer.size_bytes,
      },
    ],
  });
  // No admin, who might move the tag if another was faster.
  const installation = { tenant_id, user_id: null, role: 'member' } as const;
  const given = { bytes: Buffer.from(manifest), type };
  const put = await putManifest(services, installation, place.repository, tag, given);
  return put.digest;
}
