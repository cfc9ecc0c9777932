import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { DomainError, invalid } from '../../errors.ts';
import { statusOf } from '../../http/error-handler.ts';
import { discardRest } from '../../http/late-refusal.ts';
import { sendBytes } from '../../http/send-bytes.ts';
import type { Services } from '../../services.ts';
import { cogToDownload, headersOf } from '../cogs/files/downloads.ts';
import { openUploads } from '../cogs/files/uploads.ts';
import { addressOf, davRoot, namesIn, namesInUrl } from './addresses.ts';
import { copyResource, makeFolder, moveResource, removeResource } from './changes.ts';
import { type Client, conditionsOf, requireMatches, tokenOf } from './conditions.ts';
import { storeFile } from './contents.ts';
import { activeLock } from './live-properties.ts';
import type { LockRow } from './lock-queries.ts';
import { openLocks, refreshLock, releaseLock, secondsIn, wishIn } from './locks.ts';
import { depthIn, propertiesOf, wantedIn } from './propfind.ts';
import { changeProperties, changesIn } from './proppatch.ts';
import { isFolder, locate, requireCog, requireFound } from './resources.ts';
import { findTimes } from './time-queries.ts';
import { modifiedAt, secondsOf } from './times.ts';
import { escaped, readXml, xmlHead } from './xml.ts';

const methods =
  'OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK';

/** Bodies of requests other than PUT. */
const xmlBytes = 64 * 1024;

export const davRoutes =
  (services: Services): FastifyPluginAsync =>
  async (app) => {
    for (const method of ['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK']) {
      app.addHttpMethod(method, { hasBody: true });
    }
    const uploads = openUploads(services);
    const { baseUrl } = services;
    answerInXml(app);
    await app.register(withXml(services, uploads, baseUrl));
    await app.register(withBytes(services, uploads, baseUrl));
  };

type Uploads = ReturnType<typeof openUploads>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Adds a route for every address. They are described in docs/webdav.md, not in the contract. */
function at(
  app: FastifyInstance,
  method: string,
  handler: Handler,
  config: FastifyContextConfig = {},
): void {
  for (const url of [davRoot, `${davRoot}/*`]) {
    app.route({
      ...{ method, url, handler, schema: { hide: true }, exposeHeadRoute: false },
      config: { access: 'basic', limit: 'dav', ...config },
    });
  }
}

/** Also of a target with scheme and host, as for a proxy (RFC 9112, section 3.2.2). */
const namesOf = ({ raw: { url = '' } }: FastifyRequest) =>
  namesIn(url.replace(/^https?:\/\/[^/?#]*/i, ''));

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

function clientOf(request: FastifyRequest, baseUrl: () => string): Client {
  return {
    caller: request.caller,
    conditions: conditionsOf(header(request, 'if')),
    matches: matchesOf(request),
    namesInUrl: (url) => namesInUrl(url, hostsOf(request, baseUrl)),
  };
}

const matchesOf = (request: FastifyRequest) => ({
  ifMatch: header(request, 'if-match'),
  ifNoneMatch: header(request, 'if-none-match'),
  ifUnmodifiedSince: header(request, 'if-unmodified-since'),
});

const hostsOf = ({ headers }: FastifyRequest, baseUrl: () => string) => [
  (headers.host ?? '').toLowerCase(),
  new URL(baseUrl()).host,
];

/** Methods whose body is XML, if they have one. */
const withXml =
  (services: Services, uploads: Uploads, baseUrl: () => string): FastifyPluginAsync =>
  async (app) => {
    const { db } = services;
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: xmlBytes },
      async (_request: FastifyRequest, body: Buffer) => body,
    );
    const bodyOf = ({ body }: FastifyRequest) =>
      Buffer.isBuffer(body) && body.length > 0 ? readXml(body) : undefined;
    const takeLock = openLocks(services, uploads);

    at(
      app,
      'OPTIONS',
      async (_request, reply) =>
        reply.headers({ dav: '1, 2', allow: methods, 'ms-author-via': 'DAV' }).send(),
      { access: 'public', limit: 'none' },
    );

    at(app, 'PROPFIND', async (request, reply) => {
      const depth = depthIn(header(request, 'depth'));
      const parts = propertiesOf(
        services,
        request.caller,
        namesOf(request),
        depth,
        wantedIn(bodyOf(request)),
      );
      // The turn ends with the first page; a large folder goes on as fast as the client reads.
      const first = await parts.next();
      reply.code(207).type('application/xml; charset=utf-8');
      return reply.send(Readable.from(joined(first.value ?? '', parts)));
    });

    at(app, 'PROPPATCH', async (request, reply) => {
      const client = clientOf(request, baseUrl);
      const text = await changeProperties(db, client, namesOf(request), changesIn(bodyOf(request)));
      return reply.code(207).type('application/xml; charset=utf-8').send(text);
    });

    at(app, 'MKCOL', async (request, reply) => {
      if (Buffer.isBuffer(request.body) && request.body.length > 0) {
        throw new DomainError('unsupported_media_type', 'A folder is made without a body.');
      }
      await makeFolder(db, clientOf(request, baseUrl), namesOf(request));
      return reply.code(201).send();
    });

    at(app, 'DELETE', async (request, reply) => {
      await removeResource(db, clientOf(request, baseUrl), namesOf(request));
      return reply.code(204).send();
    });

    at(app, 'MOVE', async (request, reply) => {
      const isNew = await moveResource(
        db,
        clientOf(request, baseUrl),
        namesOf(request),
        destinationOf(request, baseUrl),
        mayOverwrite(request),
      );
      return reply.code(isNew ? 201 : 204).send();
    });

    at(app, 'COPY', async (request, reply) => {
      const depth = header(request, 'depth')?.toLowerCase() ?? 'infinity';
      if (depth !== '0' && depth !== 'infinity') {
        throw invalid('The depth of a copy must be 0 or infinity.');
      }
      const isNew = await copyResource(
        services,
        clientOf(request, baseUrl),
        namesOf(request),
        destinationOf(request, baseUrl),
        { overwrite: mayOverwrite(request), isShallow: depth === '0' },
      );
      return reply.code(isNew ? 201 : 204).send();
    });

    at(app, 'LOCK', async (request, reply) => {
      const client = clientOf(request, baseUrl);
      const names = namesOf(request);
      const body = bodyOf(request);
      const timeout = header(request, 'timeout');
      if (!body) {
        const lock = await refreshLock(db, client, names, secondsIn(timeout));
        return sendLock(reply.code(200), lock, names);
      }
      const wish = wishIn(body, header(request, 'depth'), timeout);
      const { lock, isNew } = await takeLock(client, names, wish);
      reply.header('lock-token', `<${tokenOf(lock)}>`);
      return sendLock(reply.code(isNew ? 201 : 200), lock, names);
    });

    at(app, 'UNLOCK', async (request, reply) => {
      const token = /^\s*<([^<>]+)>\s*$/.exec(header(request, 'lock-token') ?? '')?.[1];
      if (token === undefined) throw invalid('The header Lock-Token must name a lock.');
      await releaseLock(db, clientOf(request, baseUrl), namesOf(request), token);
      return reply.code(204).send();
    });
  };

async function* joined(first: string, rest: AsyncGenerator<string>) {
  yield first;
  yield* rest;
}

function sendLock(reply: FastifyReply, lock: LockRow, names: readonly string[]) {
  const root = addressOf(names, false);
  return reply
    .type('application/xml; charset=utf-8')
    .send(
      `${xmlHead}<D:prop xmlns:D="DAV:"><D:lockdiscovery>${activeLock({ lock, root })}</D:lockdiscovery></D:prop>`,
    );
}

function mayOverwrite(request: FastifyRequest): boolean {
  const given = header(request, 'overwrite')?.trim().toUpperCase() ?? 'T';
  if (given !== 'T' && given !== 'F') throw invalid('The header Overwrite must be T or F.');
  return given === 'T';
}

function destinationOf(request: FastifyRequest, baseUrl: () => string): string[] {
  const url = header(request, 'destination');
  if (url === undefined) throw invalid('The header Destination is required.');
  const names = namesInUrl(url, hostsOf(request, baseUrl));
  if (names) return names;
  throw new DomainError('bad_gateway', 'The destination is on another server.');
}

/** The contents of files. They are streamed, so they wait for no turn. */
const withBytes =
  (services: Services, uploads: Uploads, baseUrl: () => string): FastifyPluginAsync =>
  async (app) => {
    const { db, readDb, storage } = services;
    app.removeAllContentTypeParsers();
    // The handler reads the body itself.
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));

    const send: Handler = async (request, reply) => {
      const { caller } = request;
      const located = await locate(db, caller, namesOf(request), readDb);
      if (isFolder(requireFound(located))) throw folderHasNone();
      const cog = requireCog(located);
      const [file, times] = await Promise.all([
        cogToDownload(readDb, caller, cog.id),
        findTimes(readDb, caller.tenant_id, [cog.id]),
      ]);
      if (file.cog_type !== 'file') throw folderHasNone();
      // What a reader has already is answered below, with 304.
      const matches = { ...matchesOf(request), ifNoneMatch: undefined };
      await requireMatches(readDb, caller, located, matches);
      reply.headers(headersOf(file, false));
      reply.header('last-modified', new Date(modifiedAt(cog, times)).toUTCString());
      await sendBytes(services, request, reply, {
        size_bytes: file.size_bytes,
        etag: file.checksum_sha256,
        copyTo: (range, begin) => storage.copyTo(file, range, begin),
      });
      return reply;
    };
    at(app, 'GET', send, { turn: 'none' });
    at(app, 'HEAD', send, { turn: 'none' });

    at(
      app,
      'PUT',
      async (request, reply) => {
        const modified_seconds = secondsOf(header(request, 'x-oc-mtime'));
        try {
          if (request.headers['content-range'] !== undefined) {
            throw invalid('A part of a file cannot be stored: send the whole.');
          }
          requirePlain(request);
          const { cog, isNew } = await storeFile(
            services,
            uploads,
            clientOf(request, baseUrl),
            namesOf(request),
            incomingFile(request),
            modified_seconds,
          );
          if (modified_seconds !== undefined) reply.header('x-oc-mtime', 'accepted');
          return await reply
            .header('etag', `"${cog.checksum_sha256}"`)
            .code(isNew ? 201 : 204)
            .send();
        } catch (error) {
          if (isCutOff(request.raw)) throw invalid('The upload is incomplete.');
          discardRest(request.raw);
          throw error;
        }
      },
      { turn: 'none', body: 'stream' },
    );
  };

/** Stored as they come, encoded bytes would be told as the file itself. */
function requirePlain(request: FastifyRequest): void {
  const encoding = header(request, 'content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return;
  throw new DomainError('unsupported_media_type', 'Send the file without a Content-Encoding.');
}

const folderHasNone = () =>
  new DomainError('method_not_allowed', 'This is a folder: list it with PROPFIND.');

const isCutOff = (raw: IncomingMessage) => !raw.complete && (raw.errored !== null || raw.destroyed);

function incomingFile({ raw, headers }: FastifyRequest) {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  // Finder sends files in chunks, and their size in a header of its own.
  const size = Number(headers['content-length'] ?? headers['x-expected-entity-length'] ?? 0);
  return {
    // Without a type the name decides.
    declared_type: type.trim().toLowerCase() || 'application/octet-stream',
    expected_bytes: Number.isSafeInteger(size) && size > 0 ? size : 0,
    bytes: raw,
  };
}

/** The conditions that RFC 4918 lets an error name; clients look for them. */
const conditionsOfErrors = new Set([
  'propfind-finite-depth',
  'lock-token-submitted',
  'no-conflicting-lock',
  'lock-token-matches-request-uri',
  'quota-not-exceeded',
]);

/** Codes of other slices that WebDAV has its own words for (RFC 4331, section 6). */
const worded = (error: DomainError) =>
  error.code === 'quota_exceeded'
    ? new DomainError('storage_full', error.message, { code: 'quota-not-exceeded' })
    : error;

/** What can never be done is 403 in WebDAV; 409 tells clients to make the folder above. */
const neverPossible = new Set([
  'root_folder',
  'shared_folder',
  'name_reserved',
  'cycle',
  'depth_limit',
  'too_many_items',
]);

/** Answers errors in the words of WebDAV; those that it does not know are answered as elsewhere. */
function answerInXml(app: FastifyInstance): void {
  app.setErrorHandler(async (given, request, reply) => {
    if (!(given instanceof DomainError)) throw given;
    const error = worded(given);
    const { code = '', problem, message } = error;
    if (problem === 'conflict' && neverPossible.has(code)) {
      throw new DomainError('forbidden', message, { code });
    }
    if (problem === 'method_not_allowed') reply.header('allow', methods);
    if (!conditionsOfErrors.has(code)) throw error;
    const address = escaped(addressOf(namesOf(request), false));
    const where = code === 'lock-token-submitted' ? `<D:href>${address}</D:href>` : '';
    return reply
      .code(statusOf[problem])
      .type('application/xml; charset=utf-8')
      .send(`${xmlHead}<D:error xmlns:D="DAV:"><D:${code}>${where}</D:${code}></D:error>`);
  });
}
