/** URLs that let their holder GET or PUT one object for a limited time, like those of a bucket. */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { PartUpload } from './parts.ts';
import type { PresignOptions } from './storage.ts';

type Method = 'GET' | 'PUT';

/** A part of an object, for a PUT to it alone. */
export type SignedPart = { storage_upload_id: string; part_number: number };

/** What a valid URL permits. */
export type Permitted = { size_bytes: number; part?: SignedPart };

type Query = Record<string, string | undefined>;

/** `key` signs; `baseUrl` is where this server answers the URLs. */
export function presignedUrls(key: Buffer, baseUrl: () => string) {
  // With a buffer, each signature takes four times as long.
  const secret = createSecretKey(key);
  const signature = (method: Method, object: string, query: Query) => {
    const { expires = '', size = '', upload = '', part = '' } = query;
    return createHmac('sha256', secret)
      .update(`${method}\n${object}\n${expires}\n${size}\n${upload}\n${part}`)
      .digest('base64url');
  };

  const sign = (
    method: Method,
    object: string,
    { expires_in, size_bytes }: PresignOptions,
    part?: SignedPart,
  ): string => {
    const query: Record<string, string> = {
      expires: String(Math.floor(Date.now() / 1000) + expires_in),
      ...(size_bytes === undefined ? {} : { size: String(size_bytes) }),
      ...(part && { upload: part.storage_upload_id, part: String(part.part_number) }),
    };
    query.signature = signature(method, object, query);
    return `${baseUrl()}/storage/${object}?${new URLSearchParams(query)}`;
  };

  return {
    // This service answers the URLs itself.
    is_remote: false as const,

    presign: async (method: Method, object: string, options: PresignOptions) =>
      sign(method, object, options),

    presignPart: async (
      { key: object, storage_upload_id }: PartUpload,
      { part_number, size_bytes }: { part_number: number; size_bytes: number },
      expires_in: number,
    ) => sign('PUT', object, { expires_in, size_bytes }, { storage_upload_id, part_number }),

    /** @returns undefined unless the query is valid for method and object. */
    verify: (method: Method, object: string, query: Query): Permitted | undefined => {
      const { expires, size, upload = '', part = '', signature: given = '' } = query;
      const wanted = Buffer.from(signature(method, object, query));
      const actual = Buffer.from(given);
      if (wanted.length !== actual.length || !timingSafeEqual(wanted, actual)) return undefined;
      if (Number(expires) * 1000 < Date.now()) return undefined;
      const size_bytes = Number(size ?? 0);
      if (part === '') return { size_bytes };
      return { size_bytes, part: { storage_upload_id: upload, part_number: Number(part) } };
    },
  };
}
