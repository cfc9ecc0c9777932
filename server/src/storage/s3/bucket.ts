/**
 * The requests to a bucket. Uses only what every S3-compatible server has: no versions, no
 * conditional writes, no copies.
 */
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import type { S3Location } from '../../config.ts';
import type { StoredBytes } from '../storage.ts';
import { fail, openClient, whenAbsent } from './client.ts';
import { uploadRequests } from './upload-requests.ts';

export type Bucket = ReturnType<typeof openBucket>;

/** Found by a GET: the size of the whole object, and the bytes of the range. */
type Opened = { size_bytes: number; etag: string | undefined; body: Readable };

export function openBucket(location: S3Location) {
  const client = openClient(location);
  const { bucket: Bucket } = location;

  return {
    client,
    ...uploadRequests(client, Bucket),

    /** @returns undefined if there is no such object. */
    head: (Key: string): Promise<StoredBytes | undefined> =>
      client
        .send(new HeadObjectCommand({ Bucket, Key }))
        .then(
          ({ ContentLength = 0 }) => ({ size_bytes: ContentLength }),
          whenAbsent('NotFound', 'NoSuchKey'),
        ),

    /**
     * Opens bytes `start` to `end` (inclusive) of an object.
     *
     * @param etag of the object, if it must be that one still.
     * @returns undefined if there is no such object, or it is not longer than `start`.
     */
    get: async (
      Key: string,
      { start, end, etag }: { start: number; end: number; etag: string | undefined },
    ): Promise<Opened | undefined> => {
      const Range = `bytes=${start}-${end}`;
      const found = await client
        .send(new GetObjectCommand({ Bucket, Key, Range, ...(etag && { IfMatch: etag }) }))
        .catch(whenAbsent('NoSuchKey', 'NotFound', 'InvalidRange', 'PreconditionFailed'));
      if (!found) return undefined;
      const [first, total = found.ContentLength] = found.ContentRange?.split('/') ?? ['bytes 0-'];
      if (!first?.startsWith(`bytes ${start}-`)) throw new Error('The storage sent another range.');
      return { size_bytes: Number(total), etag: found.ETag, body: found.Body as Readable };
    },

    /** A small object as text; undefined if there is none. */
    getText: (Key: string): Promise<string | undefined> =>
      client
        .send(new GetObjectCommand({ Bucket, Key }))
        .then(({ Body }) => Body?.transformToString(), whenAbsent('NoSuchKey', 'NotFound')),

    /** The objects whose keys begin with it, in ascending order of the keys. */
    list: async function* (Prefix: string): AsyncGenerator<{ key: string; size_bytes: number }> {
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
        for (const { Key = '', Size = 0 } of Contents) yield { key: Key, size_bytes: Size };
    },

    put: async (Key: string, Body: Buffer | string): Promise<void> => {
      await client.send(new PutObjectCommand({ Bucket, Key, Body })).catch(fail);
    },

    remove: async (Key: string): Promise<void> => {
      await client
        .send(new DeleteObjectCommand({ Bucket, Key }))
        .catch(whenAbsent('NoSuchKey', 'NotFound'));
    },
  };
}
