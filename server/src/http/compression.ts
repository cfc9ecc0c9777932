/**
 * Compresses JSON answers, on the thread pool if they are large.
 *
 * Only answers to GET, because none of them contains a secret: tokens, keys, presigned URLs and
 * work orders are answers to POST. So an attacker who can place text beside a secret has no length
 * to measure (BREACH). File contents and event streams are not JSON. Requests are never
 * decompressed: a megabyte could become a gigabyte.
 */
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Half the saving of the best quality, in a tenth of its time. */
const quality = {
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zlibOptions: { level: 4 },
};

/** Call before any route is registered. */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.compress === undefined && route.method !== 'GET') route.compress = false;
    // The docs pages end their answers before compression has begun, so nothing would be sent.
    if (route.url.startsWith('/docs')) route.compress = false;
  });
  await app.register(compress, {
    ...quality,
    globalCompression: true,
    globalDecompression: false,
    encodings: ['br', 'gzip'],
    threshold: 1024,
    customTypes: /^application\/json(;|$)/,
  });
}

/** Route option that compresses an HTML page; only for pages without secrets. */
export const compressedPage = { ...quality, customTypes: /^text\/html(;|$)/, threshold: 512 };
