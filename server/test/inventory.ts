/** What the storage of an installation holds, found without its database: on disk or in a bucket. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { readConfig, type S3Location } from '../src/config.ts';
import { diskStorage } from '../src/storage/disk.ts';
import type { PartStorage } from '../src/storage/parts.ts';
import { openBucket } from '../src/storage/s3/bucket.ts';
import { s3Storage } from '../src/storage/s3/s3.ts';
import type { Storage } from '../src/storage/storage.ts';
import { storageSettings } from './storage.ts';

export type Inventory = {
  open(): Promise<Storage & PartStorage>;
  /** Sizes of what is being written. */
  partial(): Promise<number[]>;
  /** Keys of all objects. */
  keys(): Promise<string[]>;
  /** Keys of objects that arrive in parts. */
  arriving(): Promise<string[]>;
};

/** @param dir its DATA_DIR. */
export function inventoryOf(dir: string): Inventory {
  const { s3 } = readConfig(storageSettings(dir));
  return s3 ? inBucket(s3) : onDisk(join(dir, 'objects'));
}

function onDisk(folder: string): Inventory {
  return {
    open: () => diskStorage(folder, Buffer.alloc(32), () => ''),
    partial: async () => {
      const names = await readdir(join(folder, 'partial')).catch(() => []);
      const sizes = names.map((name) =>
        stat(join(folder, 'partial', name)).then(
          ({ size }) => size,
          () => 0,
        ),
      );
      return Promise.all(sizes);
    },
    keys: () => keysIn(join(folder, 'objects')),
    arriving: () => keysIn(join(folder, 'parts')),
  };
}

/** Below a folder for each tenant. An object is a file, or a folder of its parts. */
async function keysIn(folder: string): Promise<string[]> {
  const tenants = await readdir(folder).catch(() => []);
  const keys = tenants.map(async (tenant) =>
    (await readdir(join(folder, tenant))).map((name) => `${tenant}/${name}`),
  );
  return (await Promise.all(keys)).flat().sort();
}

function inBucket(location: S3Location): Inventory {
  const bucket = openBucket(location);
  const client: S3Client = bucket.client;
  const wanted = { Bucket: location.bucket, Prefix: `${location.prefix}objects/` };
  return {
    open: () => s3Storage(location),
    partial: async () => {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(wanted));
      return Promise.all(
        Uploads.map(async ({ Key = '', UploadId = '' }) =>
          ((await bucket.parts(Key, UploadId)) ?? []).reduce(
            (sum, { size_bytes }) => sum + size_bytes,
            0,
          ),
        ),
      );
    },
    arriving: async () => {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(wanted));
      return Uploads.map(({ Key = '' }) => Key.slice(wanted.Prefix.length)).sort();
    },
    keys: async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command(wanted));
      return Contents.map(({ Key = '' }) => Key.slice(wanted.Prefix.length)).sort();
    },
  };
}
