import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { DomainError } from '../../errors.ts';
import { challengeOf } from '../../http/access.ts';
import { statusOf } from '../../http/error-handler.ts';
import { discardRest } from '../../http/late-refusal.ts';
import { sendBytes } from '../../http/send-bytes.ts';
import { takeTurn } from '../../http/wait-turns.ts';
import type { Services } from '../../services.ts';
import { isStorable } from '../../storable.ts';
import { Turns } from '../../turns.ts';
import {
  type Address,
  addressOf,
  checkedDigest,
  checkedName,
  platformImageIn,
} from './addresses.ts';
import { requireBlob, requireKept } from './blobs.ts';
import { bodyOf } from './codes.ts';
import {
  digestInvalid,
  nameInvalid,
  notAllowed,
  notAMediaType,
  notSupported,
  unknownUpload,
  uploadInvalid,
} from './faults.ts';
import { incomingOf, rangeOf, wholeOf } from './incoming.ts';
import { type Names, partOf, referrersOf, repositoriesOf, tagsOf } from './lists.ts';
import { deleteManifest, mostManifestBytes, putManifest, requireManifest } from './manifests.ts';
import { holderOf, requirePlatformManifest } from './platform.ts';
import {
  beginUpload,
  cancelUpload,
  finishUpload,
  receivePiece,
  requireUpload,
  storeBlob,
} from './uploads.ts';

type Kind = Address['of'];
type Ask<K extends Kind> = {
  request: FastifyRequest;
  reply: FastifyReply;
  address: Extract<Address, { of: K }>;
  /** Whose images are read. */
  holder: number;
  query: Readonly<Record<string, string | undefined>>;
};
/** What a method does, by what the address names. */
type Answers = { [K in Kind]?: (ask: Ask<K>) => Promise<unknown> };

/** The addresses are those of the distribution specification (docs/registry.md), not of the contract. */
export const registryRoutes =
  (services: Services): FastifyPluginAsync =>
  async (app) => {
    app.removeAllContentTypeParsers();
    // Bodies are read by what takes them.
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    answerInItsWords(app);

    const reading = answersOfReading(services);
    const methods: Record<string, Answers> = {
      GET: reading,
      HEAD: { ...reading, ...answersOfHead(services) },
      POST: answersOfPost(services),
      PATCH: answersOfPatch(services),
      PUT: answersOfPut(services, {
        joins: new Turns(services.limits.registry.joins),
        manifests: new Turns(services.limits.registry.manifests),
      }),
      DELETE: answersOfDelete(services),
    };
    for (const method of Object.keys(methods)) {
      for (const url of ['/v2', '/v2/*']) {
        app.route({
          ...{ method, url, schema: { hide: true }, exposeHeadRoute: false },
          config: {
            ...{ access: 'registry', limit: 'registry', body: 'stream' },
            // What streams waits for none.
            turn: method === 'DELETE' ? 'usual' : 'none',
          },
          handler: (request, reply) => answer(services, methods, request, reply),
        });
      }
    }
  };

async function answer(
  { db }: Pick<Services, 'db'>,
  methods: Readonly<Record<string, Answers>>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { pathname, search } = splitUrl(request);
  const query = Object.fromEntries(new URLSearchParams(search));
  try {
    const address = addressOf(pathname, tenantOf(request));
    if (!address) {
      reply.callNotFound();
      return reply;
    }
    if (!Object.values(query).every(isStorable)) {
      throw nameInvalid('The query must not contain U+0000.');
    }
    const { of } = address;
    const act = methods[request.method]?.[of] as ((ask: Ask<Kind>) => Promise<unknown>) | undefined;
    if (!act) {
      const allowed = Object.keys(methods).filter((method) => methods[method]?.[of]);
      reply.header('allow', allowed.join(', '));
      throw notSupported('The registry does not do this here.');
    }
    const repository = 'repository' in address ? address.repository : '';
    if (!/^(GET|HEAD)$/.test(request.method) && platformImageIn(repository) !== undefined) {
      throw notAllowed('The installation makes these images itself: they can only be pulled.');
    }
    const holder = await holderOf(db, repository, tenantOf(request));
    return await act({ request, reply, address, holder, query });
  } catch (error) {
    const { raw } = request;
    if (!raw.complete && (raw.errored !== null || raw.destroyed)) {
      throw uploadInvalid('The body is incomplete.');
    }
    if (!raw.complete) discardRest(raw);
    throw error;
  }
}

/** Also of a target with scheme and host, as for a proxy (RFC 9112, section 3.2.2). */
function splitUrl({ raw: { url = '' } }: FastifyRequest) {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = path.indexOf('?');
  return at < 0
    ? { pathname: path, search: '' }
    : { pathname: path.slice(0, at), search: path.slice(at) };
}

/** Of a member, or of the workers that pull for the tenant. */
const tenantOf = ({ caller, puller }: FastifyRequest) => puller ?? caller.tenant_id;

function answersOfReading(services: Services): Answers {
  const { db, storage } = services;
  return {
    registry: async ({ reply }) =>
      reply.header('docker-distribution-api-version', 'registry/2.0').send({}),

    catalog: async ({ request, reply, query }) => {
      const found = await repositoriesOf(services, tenantOf(request), partOf(query));
      return withMore(reply, '/v2/_catalog', query, found.more).send({ repositories: found.names });
    },

    tags: async ({ request, holder: tenant_id, reply, address: { repository }, query }) => {
      const place = { tenant_id, repository };
      const { names, more }: Names = await tagsOf(
        services,
        place,
        partOf(query),
        tenantOf(request),
      );
      const path = `/v2/${repository}/tags/list`;
      return withMore(reply, path, query, more).send({ name: repository, tags: names });
    },

    blob: async ({ request, reply, holder, address: { digest } }) => {
      const blob = await requireBlob(services, holder, digest);
      reply.headers(bytesHeaders(digest, 'application/octet-stream'));
      await sendBytes(services, request, reply, {
        ...{ size_bytes: blob.size_bytes, etag: digest },
        copyTo: (range, begin) => storage.copyTo(blob, range, begin),
      });
      return reply;
    },

    manifest: async ({ request, reply, holder, address: { repository, reference } }) => {
      const place = { tenant_id: holder, repository };
      const find =
        platformImageIn(repository) === undefined ? requireManifest : requirePlatformManifest;
      const manifest = await find(services, place, reference);
      const { digest, media_type, size_bytes } = manifest;
      reply.headers(bytesHeaders(digest, media_type));
      await sendBytes(services, request, reply, {
        ...{ size_bytes, etag: digest },
        copyTo: (range, begin) => storage.copyTo(manifest, range, begin),
      });
      return reply;
    },

    referrers: async ({ holder: tenant_id, reply, address: { repository, digest }, query }) => {
      const place = { tenant_id, repository };
      const { artifactType: type } = query;
      const { index, more } = await referrersOf(services, place, digest, partOf(query), type);
      if (type !== undefined) reply.header('oci-filters-applied', 'artifactType');
      const path = `/v2/${repository}/referrers/${digest}`;
      return withMore(reply, path, query, more)
        .type(index.mediaType)
        .send(Buffer.from(JSON.stringify(index)));
    },

    upload: async ({ request, reply, address }) => {
      const { size_bytes } = await requireUpload(db, uploadOf(request, address));
      return reply.code(204).headers(progressOf(address, size_bytes)).send();
    },
  };
}

const answersOfHead = (services: Services): Answers => ({
  blob: async ({ reply, holder, address: { digest } }) => {
    const { size_bytes } = await requireKept(services, holder, digest);
    return reply
      .headers({
        ...bytesHeaders(digest, 'application/octet-stream'),
        ...{ 'content-length': size_bytes, etag: `"${digest}"`, 'accept-ranges': 'bytes' },
      })
      .send();
  },
});

const bytesHeaders = (digest: string, type: string) => ({
  'docker-content-digest': digest,
  'content-type': type,
  'x-content-type-options': 'nosniff',
});

const answersOfPost = (services: Services): Answers => ({
  uploads: async ({ request, reply, address: { repository }, query }) => {
    const { caller } = request;
    const { mount, digest, from } = query;
    if (mount !== undefined && (await isHere(services, caller.tenant_id, mount, from))) {
      return created(reply, repository, 'blobs', mount);
    }
    if (digest !== undefined && mount === undefined) {
      await storeBlob(services, caller, checkedDigest(digest), incomingOf(request));
      return created(reply, repository, 'blobs', digest);
    }
    const id = await beginUpload(services, caller, repository);
    return reply.code(202).headers(progressOf({ repository, id }, 0)).send();
  },
});

/** Whether a blob can be taken from another repository of the tenant, which shares them all. */
async function isHere(services: Services, tenantId: number, digest: string, from?: string) {
  try {
    if (from !== undefined) checkedName(from, tenantId);
    await requireKept(services, tenantId, checkedDigest(digest));
    return true;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // Then it is uploaded, as the specification says.
    return false;
  }
}

const answersOfPatch = (services: Services): Answers => ({
  upload: async ({ request, reply, address }) => {
    const upload = uploadOf(request, address);
    const incoming = incomingOf(request);
    const { size_bytes } = await receivePiece(services, upload, rangeOf(request), incoming);
    return reply.code(202).headers(progressOf(address, size_bytes)).send();
  },
});

async function inTurn<T>(turn: Promise<() => void>, work: () => Promise<T>): Promise<T> {
  const end = await turn;
  try {
    return await work();
  } finally {
    end();
  }
}

/** The turns of what takes much of the disk, and of what is held in memory while it arrives. */
type PutTurns = { joins: Turns; manifests: Turns };

const answersOfPut = (services: Services, { joins, manifests }: PutTurns): Answers => ({
  upload: async ({ request, reply, address, query }) => {
    if (query.digest === undefined) throw digestInvalid('');
    const digest = checkedDigest(query.digest);
    const upload = uploadOf(request, address);
    const incoming = incomingOf(request);
    if (!incoming.isEmpty) await receivePiece(services, upload, rangeOf(request), incoming);
    await finishUpload(services, upload, digest, () => takeTurn(joins, request.caller, reply));
    return created(reply, address.repository, 'blobs', digest);
  },

  manifest: async ({ request, reply, address: { repository, reference } }) => {
    const type = request.headers['content-type'];
    const { caller, server } = request;
    const made = await inTurn(takeTurn(manifests, caller, reply), async () => {
      const bytes = await wholeOf(request, mostManifestBytes);
      return inTurn(server.takeTurn('usual', caller, reply), () =>
        putManifest(services, caller, repository, reference, { bytes, type }),
      );
    });
    if (made.subject !== undefined) reply.header('oci-subject', made.subject);
    return created(reply, repository, 'manifests', made.digest);
  },
});

const answersOfDelete = ({ db }: Services): Answers => ({
  upload: async ({ request, reply, address }) => {
    await cancelUpload(db, uploadOf(request, address));
    return reply.code(204).send();
  },

  manifest: async ({ request, reply, address: { repository, reference } }) => {
    await deleteManifest(db, request.caller, repository, reference);
    return reply.code(202).send();
  },
});

type UploadAddress = Pick<Extract<Address, { of: 'upload' }>, 'repository' | 'id'>;

function uploadOf({ caller, puller }: FastifyRequest, { repository, id }: UploadAddress) {
  if (puller !== undefined) throw unknownUpload();
  return { tenant_id: caller.tenant_id, user_id: caller.user_id, repository, id };
}

const progressOf = ({ repository, id }: UploadAddress, size_bytes: number) => ({
  location: `/v2/${repository}/blobs/uploads/${id}`,
  // As all registries do, "0-0" also if there is nothing yet.
  range: `0-${Math.max(0, size_bytes - 1)}`,
  'docker-upload-uuid': id,
});

const created = (reply: FastifyReply, repository: string, kind: string, digest: string) =>
  reply
    .code(201)
    .headers({
      location: `/v2/${repository}/${kind}/${digest}`,
      'docker-content-digest': digest,
    })
    .send();

/** Adds the address of the next page, if there is one. */
function withMore(
  reply: FastifyReply,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  more: string | undefined,
): FastifyReply {
  if (more === undefined) return reply;
  const given = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const next = new URLSearchParams([...given.filter(([name]) => name !== 'last'), ['last', more]]);
  return reply.header('link', `<${path}?${next}>; rel="next"`);
}

/** Answers errors as the specification has them; unforeseen ones are answered as elsewhere. */
function answerInItsWords(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>(async (given, request, reply) => {
    const error = given.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ? notAMediaType() : given;
    if (!(error instanceof DomainError)) throw error;
    const { problem, retry_after_seconds } = error;
    if (problem === 'unauthenticated') reply.header('www-authenticate', challengeOf(request));
    if (retry_after_seconds !== undefined) reply.header('retry-after', retry_after_seconds);
    return reply
      .code(statusOf[problem])
      .type('application/json; charset=utf-8')
      .send(bodyOf(error));
  });
}
