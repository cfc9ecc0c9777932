/** Objects in a bucket of any S3-compatible store. Loaded only when STORAGE_URL asks for it. */
import { ConfigError, type S3Location } from '../../config.ts';
import type { PartStorage, PartUpload } from '../parts.ts';
import type { Storage } from '../storage.ts';
import { openBucket } from './bucket.ts';
import { nameOf } from './client.ts';
import { bucketUrl } from './location.ts';
import { checkMark, openMark } from './mark.ts';
import { presigner } from './presign.ts';
import { copyObject } from './read.ts';
import { abortUploads, completeUpload, settleUpload } from './uploads.ts';
import { writeObject } from './write.ts';

/** @throws ConfigError that says why the bucket cannot be used. */
export async function s3Storage(location: S3Location): Promise<Storage & PartStorage> {
  const bucket = openBucket(location);
  const markPath = `${location.prefix}cogworks-storage-id`;
  const mark = `s3://${location.bucket}/${markPath}`;
  const id = await openMark(bucket, markPath).catch((error: unknown) => {
    throw unusable(location, error);
  });
  const pathOf = (key: string) => {
    // Keys are generated, never user input; this is the lowest layer that can check it.
    if (!/^[a-z0-9][a-z0-9/-]{0,200}$/.test(key)) throw new Error('Not an object key.');
    return `${location.prefix}objects/${key}`;
  };
  const sign = presigner(location.region);
  const root = bucketUrl(location);

  async function signed(
    method: 'GET' | 'PUT',
    key: string,
    expires_in: number,
    { query = {}, headers = {} }: { query?: Record<string, string>; headers?: object } = {},
  ) {
    const request = { method, url: new URL(`${root}/${pathOf(key)}`), query };
    const credentials = await bucket.client.config.credentials();
    return sign({ ...request, headers: { ...headers } }, credentials, expires_in, new Date());
  }

  const presignPart: PartStorage['presignPart'] = (
    { key, storage_upload_id },
    { part_number, size_bytes },
    expires_in,
  ) =>
    signed('PUT', key, expires_in, {
      query: { partNumber: String(part_number), uploadId: storage_upload_id },
      // The server compares it with what arrives, so the size is exact.
      headers: { 'content-length': String(size_bytes) },
    });

  const remove = async (key: string) => {
    // First, because an upload that is completed in between would leave an object.
    await abortUploads(bucket, pathOf(key));
    await bucket.remove(pathOf(key));
  };

  return {
    id,
    mark,
    is_remote: true,

    write: async (key, bytes, options = {}) => {
      const limits = { max_bytes: Number.POSITIVE_INFINITY, expected_bytes: 0, ...options };
      return writeObject(bucket, pathOf(key), bytes, limits, () => remove(key));
    },

    copyTo: (object, range, begin) =>
      copyObject(
        bucket,
        pathOf(object.key),
        object,
        range ?? { start: 0, end: object.size_bytes - 1 },
        begin,
      ),

    stat: (key) => bucket.head(pathOf(key)),

    list: async function* () {
      const prefix = `${location.prefix}objects/`;
      for await (const { key, size_bytes } of bucket.list(prefix)) {
        yield { key: key.slice(prefix.length), size_bytes };
      }
    },

    settle: (key) => settleUpload(bucket, pathOf(key)),

    remove,

    presign: async (method, key, { expires_in, size_bytes }) => {
      if (method === 'GET') return signed('GET', key, expires_in, { query: asDownload });
      if (size_bytes === undefined) throw new Error('A PUT needs a size.');
      const storage_upload_id = await bucket.begin(pathOf(key));
      return presignPart({ key, storage_upload_id }, { part_number: 1, size_bytes }, expires_in);
    },

    presignPart,

    beginParts: (key) => bucket.begin(pathOf(key)),

    storedParts: ({ key, storage_upload_id }) => bucket.parts(pathOf(key), storage_upload_id),

    completeParts: ({ key, storage_upload_id }: PartUpload, parts) =>
      completeUpload(bucket, pathOf(key), storage_upload_id, parts),

    abortParts: (key) => abortUploads(bucket, pathOf(key)),

    // A write that was interrupted is removed with its object, which was recorded before.
    removeAbandoned: async () => {},

    // A store tells no limit; a write that does not fit fails as `storage_full`.
    room: async () => Number.MAX_SAFE_INTEGER,

    check: () => checkMark(bucket, markPath, { id, mark }),
  };
}

/** A browser saves the bytes, and shows no page of a stranger under the name of the store. */
const asDownload = {
  'response-content-type': 'application/octet-stream',
  'response-content-disposition': 'attachment',
};

const advice: Record<string, string> = {
  NoSuchBucket: 'it does not exist: create it, or correct STORAGE_URL',
  NotFound: 'it does not exist: create it, or correct STORAGE_URL',
  PermanentRedirect: 'it is in another region: correct `region` in STORAGE_URL',
  AuthorizationHeaderMalformed: 'it is in another region: correct `region` in STORAGE_URL',
  CredentialsProviderError:
    'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  InvalidAccessKeyId: 'the store does not know AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'AWS_SECRET_ACCESS_KEY is wrong',
  RequestTimeTooSkewed: 'the clocks of this machine and of the store differ: set them',
  AccessDenied:
    'the credentials may not list, read and write it: see "Files in a bucket" in docs/operations.md',
};

function unusable({ bucket, endpoint }: S3Location, error: unknown): unknown {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const known = advice[nameOf(cause)];
  const reason = known ?? `${nameOf(cause)}: ${(cause as Error).message}`;
  const where = endpoint === undefined ? '' : ` at ${endpoint}`;
  return new ConfigError(`The bucket ${bucket}${where} cannot be used: ${reason}.`, { cause });
}
