/** URLs that let their holder GET or PUT one object for a limited time, like those of a bucket. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PartUpload } from './parts.ts';
import type { PresignOptions } from './storage.ts';

type Method = 'GET' | 'PUT';

/** A part of an object, for a PUT to it alone. */
export type SignedPart = { storage_upload_id: string; part_number: number };

/** What a valid URL permits. */
export type Permitted = { max_bytes: number; size_bytes?: number; part?: SignedPart };

type Query = Record<string, string | undefined>;

/** `key` signs; `baseUrl` is where this server answers the URLs. */
export function presignedUrls(key: Buffer, baseUrl: () => string) {
  const signature = (method: Method, object: string, query: Query) => {
    const { expires = '', max = '', size = '', upload = '', part = '' } = query;
    const exact = size === '' ? '' : `\n${size}\n${upload}\n${part}`;
    return createHmac('sha256', key)
      .update(`${method}\n${object}\n${expires}\n${max}${exact}`)
      .digest('base64url');
  };

  const sign = (
    method: Method,
    object: string,
    { expires_in, max_bytes, size_bytes }: PresignOptions,
    part?: SignedPart,
  ): string => {
    const query: Record<string, string> = {
      expires: String(Math.floor(Date.now() / 1000) + expires_in),
      ...(max_bytes === undefined ? {} : { max: String(max_bytes) }),
      ...(size_bytes === undefined ? {} : { size: String(size_bytes) }),
      ...(part && { upload: part.storage_upload_id, part: String(part.part_number) }),
    };
    query.signature = signature(method, object, query);
    return `${baseUrl()}/storage/${object}?${new URLSearchParams(query)}`;
  };

  return {
    presign: async (method: Method, object: string, options: PresignOptions) =>
      sign(method, object, options),

    presignPart: async (
      { key: object, storage_upload_id }: PartUpload,
      { part_number, size_bytes }: { part_number: number; size_bytes: number },
      expires_in: number,
    ) => sign('PUT', object, { expires_in, size_bytes }, { storage_upload_id, part_number }),

    /** @returns undefined unless the query is valid for method and object. */
    verify: (method: Method, object: string, query: Query): Permitted | undefined => {
      const { expires, max = '', size = '', upload = '', part = '', signature: given = '' } = query;
      const wanted = Buffer.from(signature(method, object, query));
      const actual = Buffer.from(given);
      if (wanted.length !== actual.length || !timingSafeEqual(wanted, actual)) return undefined;
      if (Number(expires) * 1000 < Date.now()) return undefined;
      if (size === '') return { max_bytes: max === '' ? Number.POSITIVE_INFINITY : Number(max) };
      const size_bytes = Number(size);
      const permitted = { max_bytes: size_bytes, size_bytes };
      if (part === '') return permitted;
      return { ...permitted, part: { storage_upload_id: upload, part_number: Number(part) } };
    },
  };
}
