/** URLs that let their holder GET or PUT one object for a limited time, like those of a bucket. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PresignOptions } from './storage.ts';

type Method = 'GET' | 'PUT';

/** `key` signs; `baseUrl` is where this server answers the URLs. */
export function presignedUrls(key: Buffer, baseUrl: () => string) {
  const signature = (method: Method, object: string, expires: string, max: string) =>
    createHmac('sha256', key)
      .update(`${method}\n${object}\n${expires}\n${max}`)
      .digest('base64url');

  return {
    presign: async (method: Method, object: string, { expires_in, max_bytes }: PresignOptions) => {
      const expires = String(Math.floor(Date.now() / 1000) + expires_in);
      const max = max_bytes === undefined ? '' : String(max_bytes);
      const query = new URLSearchParams({
        expires,
        max,
        signature: signature(method, object, expires, max),
      });
      return `${baseUrl()}/storage/${object}?${query}`;
    },

    /** @returns the maximum size if the query is valid for method and object, else undefined. */
    verify: (
      method: Method,
      object: string,
      { expires = '', max = '', signature: given = '' }: Record<string, string | undefined>,
    ): number | undefined => {
      const wanted = Buffer.from(signature(method, object, expires, max));
      const actual = Buffer.from(given);
      if (wanted.length !== actual.length || !timingSafeEqual(wanted, actual)) return undefined;
      if (Number(expires) * 1000 < Date.now()) return undefined;
      return max === '' ? Number.POSITIVE_INFINITY : Number(max);
    },
  };
}
