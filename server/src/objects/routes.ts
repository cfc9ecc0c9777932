/**
 * Presigned URLs of disk storage, as a bucket's endpoint for S3. The signature is the only
 * credential, so this knows nothing of users or cogs.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { conflict, DomainError, forbidden, notFound } from '../errors.ts';
import { discardRest } from '../http/late-refusal.ts';
import { sendBytes } from '../http/send-bytes.ts';
import type { Services } from '../services.ts';
import type { DiskStorage } from '../storage/disk.ts';
import type { Permitted } from '../storage/presigned.ts';
import { holdPending, objectStored, whileWriting } from './objects.ts';
import { findObjectByKey, type ObjectRow } from './queries.ts';

/** No routes if the storage itself answers presigned URLs. */
export const storageRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, storage } = services;
    if (!isDisk(storage)) return;

    // Bodies are bytes, whatever their declared type, including JSON.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    // A browser may send and fetch parts from another origin, and must be able to read the ETag.
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'ETag, Content-Range',
        'referrer-policy': 'no-referrer',
      });
    });

    const options = {
      config: { access: 'public', limit: 'none', body: 'stream' },
      schema: { hide: true },
    } as const;

    app.options('/storage/*', options, async (_request, reply) => {
      reply.code(204).headers({
        'access-control-allow-methods': 'GET, HEAD, PUT',
        'access-control-allow-headers': 'Content-Type, Range',
        'access-control-max-age': '86400',
      });
    });

    app.get('/storage/*', options, async (request, reply) => {
      const { object } = await requireObject(request, 'GET');
      const { size_bytes, checksum_sha256 } = object;
      if (size_bytes === undefined || checksum_sha256 === undefined) throw notFound('Object');
      reply.headers({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'cache-control': 'private, no-cache',
      });
      await sendBytes(services, request, reply, {
        size_bytes,
        etag: checksum_sha256,
        copyTo: (range, begin) => storage.copyTo({ key: object.key, size_bytes }, range, begin),
      });
      return reply;
    });

    app.put('/storage/*', options, async (request, reply) => {
      const { object, size_bytes, part } = await requireObject(request, 'PUT');
      if (object.state === 'live') {
        throw conflict('object_is_live', 'These bytes are in use and cannot be replaced.');
      }
      const expected_bytes = Number(request.headers['content-length'] ?? 0);
      if (expected_bytes > size_bytes) {
        throw new DomainError('too_large', `More than the ${size_bytes} bytes allowed.`);
      }
      const { key, tenant_id, id } = object;
      const limits = { expected_bytes, size_bytes };
      // While the bytes arrived the object may have expired, or gone live with the bytes of another
      // request. Its row is locked while they are moved into place, so that neither can happen in
      // between, and parts are moved one after another.
      const receive = () =>
        part
          ? storage.receivePart(
              { key, ...part },
              part.part_number,
              request.raw,
              limits,
              (_, move) =>
                db.transaction(async (tx) => {
                  await holdPending(tx, tenant_id, id);
                  await move();
                }),
            )
          : storage.receive(key, request.raw, limits, (stored, move) =>
              objectStored(db, tenant_id, id, stored, move),
            );
      const leave = arrive(`${key} ${part?.part_number ?? ''}`, request.raw);
      const stored = await whileWriting(db, object, receive)
        .catch((error: unknown) => {
          discardRest(request.raw);
          throw error;
        })
        .finally(leave);
      reply.header('etag', `"${stored.checksum_sha256}"`);
      return null;
    });

    const arriving = new Map<string, IncomingMessage[]>();

    /**
     * Ends the earliest of too many PUTs that bring bytes for one place, of which the last one counts
     * anyway. Bytes on their way are not counted as stored, so one URL could fill the disk.
     *
     * @returns to be called when this one has ended.
     */
    function arrive(place: string, request: IncomingMessage): () => void {
      const others = arriving.get(place) ?? [];
      if (others.length >= mostArriving) others[0]?.destroy();
      arriving.set(place, [...others.slice(1 - mostArriving), request]);
      return () => {
        const left = (arriving.get(place) ?? []).filter((other) => other !== request);
        if (left.length > 0) arriving.set(place, left);
        else arriving.delete(place);
      };
    }

    /**
     * @throws DomainError `forbidden` unless the URL is signed by us and not expired, `not_found`.
     */
    async function requireObject(
      { params, query }: FastifyRequest,
      method: 'GET' | 'PUT',
    ): Promise<{ object: ObjectRow } & Permitted> {
      const { '*': key } = params as { '*': string };
      const permitted = (storage as DiskStorage).verify(method, key, textsOf(query));
      if (permitted === undefined) throw forbidden('This link is wrong or has expired.');
      const object = await findObjectByKey(db, key);
      if (!object || object.state === 'dead') throw notFound('Object');
      return { object, ...permitted };
    }
  };

/** A client that sends again often has a connection that is still waited for, or two. */
const mostArriving = 4;

const isDisk = (storage: object): storage is DiskStorage => 'verify' in storage;

/** A repeated parameter is a list; our URLs have none. */
const textsOf = (query: unknown) =>
  Object.fromEntries(
    Object.entries(query as object).filter(([, value]) => typeof value === 'string'),
  ) as Record<string, string>;
