/** The requests of multipart uploads: begin, send parts, ask for them, complete or abort. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { StoredPart } from '../parts.ts';
import { fail, nameOf, problemOf, whenAbsent } from './client.ts';

type NamedPart = Pick<StoredPart, 'part_number' | 'etag'>;

const refusals = ['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'];
/** Ceph says NoSuchKey of an upload that has ended. */
const absences = ['NoSuchUpload', 'NoSuchKey'];

export function uploadRequests(client: S3Client, Bucket: string) {
  const parts = (key: string, id: string) => listParts(client, { Bucket, Key: key, UploadId: id });

  return {
    /** @returns the id of the upload. */
    begin: async (Key: string): Promise<string> => {
      const begun = await client
        .send(new CreateMultipartUploadCommand({ Bucket, Key }))
        .catch(fail);
      if (!begun.UploadId) throw new Error('The storage began an upload without an id.');
      return begun.UploadId;
    },

    /** @returns its ETag. */
    putPart: async (
      Key: string,
      UploadId: string,
      { number: PartNumber, bytes: Body }: { number: number; bytes: Buffer },
      abortSignal?: AbortSignal,
    ): Promise<string> => {
      const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body });
      const { ETag } = await client.send(command, abortSignal ? { abortSignal } : {}).catch(fail);
      return unquoted(ETag);
    },

    /** In ascending order; undefined if there is no such upload. */
    parts,

    /** @returns whether the object was made of these parts; `gone` if there is no such upload. */
    complete: async (
      Key: string,
      UploadId: string,
      named: readonly NamedPart[],
    ): Promise<'made' | 'refused' | 'gone'> => {
      const Parts = named.map(({ part_number, etag }) => ({
        PartNumber: part_number,
        ETag: `"${etag}"`,
      }));
      const MultipartUpload = { Parts };
      const command = new CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId,
        MultipartUpload,
      });
      try {
        await client.send(command);
        return 'made';
      } catch (error) {
        if (refusals.includes(nameOf(error))) return 'refused';
        // Ceph calls it an internal error if there is no such upload, so its parts are asked for.
        if ((await parts(Key, UploadId)) === undefined) return 'gone';
        throw problemOf(error);
      }
    },

    abort: async (Key: string, UploadId: string): Promise<void> => {
      await client
        .send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
        .catch(whenAbsent(...absences));
    },

    /** The ids of all uploads of a key that are not completed, the oldest first. */
    uploads: (key: string) => listUploads(client, Bucket, key),
  };
}

async function listParts(
  client: S3Client,
  upload: { Bucket: string; Key: string; UploadId: string },
): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = [];
  for (let PartNumberMarker: string | undefined; ; ) {
    const page = await client
      .send(new ListPartsCommand({ ...upload, ...(PartNumberMarker && { PartNumberMarker }) }))
      .catch(whenAbsent(...absences));
    if (!page) return undefined;
    for (const { PartNumber = 0, Size = 0, ETag } of page.Parts ?? []) {
      parts.push({ part_number: PartNumber, size_bytes: Size, etag: unquoted(ETag) });
    }
    PartNumberMarker = page.NextPartNumberMarker;
    if (!page.IsTruncated || !PartNumberMarker) break;
  }
  return parts.sort((a, b) => a.part_number - b.part_number);
}

async function listUploads(client: S3Client, Bucket: string, key: string): Promise<string[]> {
  const found: { id: string; at: number }[] = [];
  for (let marker: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
    const page = await client
      .send(new ListMultipartUploadsCommand({ Bucket, Prefix: key, ...marker }))
      .catch(fail);
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === key && UploadId) found.push({ id: UploadId, at: Initiated?.getTime() ?? 0 });
    }
    if (!page.IsTruncated || !page.NextKeyMarker) break;
    marker = {
      KeyMarker: page.NextKeyMarker,
      ...(page.NextUploadIdMarker && { UploadIdMarker: page.NextUploadIdMarker }),
    };
  }
  return found.sort((a, b) => a.at - b.at).map(({ id }) => id);
}

export const unquoted = (etag = '') => etag.replace(/^"|"$/g, '');
