/**
 * Compresses what is read as JSON, on the thread pool where it is large.
 *
 * Only answers to GET: no GET of ours tells a secret, and everything that does (tokens, keys,
 * presigned URLs, work orders) answers a POST. So an attacker who can place text beside a secret
 * has no length to measure (BREACH). Bytes of files and event streams are not JSON, and requests
 * are never decompressed: a megabyte could become a gigabyte.
 */
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Half of what the best would save, for a tenth of its time. */
const quality = {
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zlibOptions: { level: 4 },
};

/** Call before any route is registered. */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.compress === undefined && route.method !== 'GET') route.compress = false;
    // The pages of the API end their answers before what compresses them has begun: nothing comes.
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

/** Option of a route whose page is compressed: one that holds no secret. */
export const compressedPage = { ...quality, customTypes: /^text\/html(;|$)/, threshold: 512 };
