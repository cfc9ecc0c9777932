/**
 * Serves the built dashboard at `/app/`. The browser does the routing: every path that is not a
 * file gets the same page. It loads nothing from other hosts, and its content security policy
 * enforces that.
 */
import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Services } from '../services.ts';
import { bucketUrl } from '../storage/s3/location.ts';
import { compressedPage } from './compression.ts';

/** Created by `tools/build-dashboard.ts`. */
export const dashboardDir = join(import.meta.dirname, '../../../dashboard/dist');

const config = { access: 'public', limit: 'none' } as const;
const schema = { hide: true };
/** Placeholder in the built page, replaced by a new nonce in each answer. */
const noncePlaceholder = /__CSP_NONCE__/g;

export const dashboardPages =
  ({ config: { oidc, s3 }, baseUrl }: Services, dir = dashboardDir) =>
  async (app: FastifyInstance): Promise<void> => {
    // Compressed at build time: `.br` and `.gz` files lie beside each file and are sent instead.
    await app.register(fastifyStatic, { root: dir, serve: false, preCompressed: true });
    const page = pageReader(join(dir, 'index.html'));
    const hosts = {
      issuer: oidc ? [new URL(oidc.issuer).origin] : [],
      storage: s3 ? [new URL(bucketUrl(s3)).origin] : [],
    };

    app.get('/', { config, schema }, (request, reply) =>
      reply.redirect(
        isOtherNameOfThisMachine(request.host, baseUrl()) ? `${baseUrl()}/app/` : '/app/',
      ),
    );

    // The names of these files contain a hash of their content: they never change.
    app.get<{ Params: { '*': string } }>('/app/assets/*', { config, schema }, (request, reply) =>
      sendAsset(reply, dir, request.params['*']),
    );

    // Runs before the first paint, so it is not a module, and the build does not rename it.
    app.get('/app/color-scheme.js', { config, schema }, (_request, reply) =>
      reply.sendFile('color-scheme.js', dir, { maxAge: 0 }),
    );

    for (const path of ['/app', '/app/*']) {
      app.get(path, { config, schema, compress: compressedPage }, async (request, reply) => {
        if (isOtherNameOfThisMachine(request.host, baseUrl()))
          return reply.redirect(`${baseUrl()}${request.url}`);
        const html = await page();
        if (html === undefined) return sendUnbuilt(reply);
        const nonce = randomBytes(16).toString('base64');
        return reply
          .headers(pageHeaders(nonce, hosts))
          .header('vary', 'accept-encoding')
          .type('text/html; charset=utf-8')
          .send(html.replaceAll(noncePlaceholder, nonce));
      });
    }
  };

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Sign-in works only at the public URL, so `localhost` is redirected to `127.0.0.1` before it
 * begins. Other names are not redirected: a proxy may have changed the host.
 */
function isOtherNameOfThisMachine(host: string, baseUrl: string): boolean {
  const url = `http://${host}`;
  if (!URL.canParse(url)) return false;
  const [asked, base] = [new URL(url), new URL(baseUrl)];
  return (
    asked.port === base.port &&
    asked.hostname !== base.hostname &&
    [asked, base].every(({ hostname }) => loopbackNames.includes(hostname))
  );
}

async function sendAsset(reply: FastifyReply, dir: string, name: string) {
  reply.header('x-content-type-options', 'nosniff');
  return reply.sendFile(name, join(dir, 'assets'), { immutable: true, maxAge: '365d' });
}

/** Reads the page again only if a new build has replaced it. */
function pageReader(file: string) {
  let known: { time_ms: number; html: string } | undefined;
  return async () => {
    const found = await stat(file).catch(() => undefined);
    if (!found) return undefined;
    if (known?.time_ms !== found.mtimeMs) {
      known = { time_ms: found.mtimeMs, html: await readFile(file, 'utf8') };
    }
    return known.html;
  };
}

/**
 * Scripts only from our own files. Style elements need the nonce. Style attributes are allowed,
 * because components are positioned by them, and they can do no more than look wrong. Of other hosts
 * the identity provider and the bucket may be asked, and files of the bucket may be shown.
 */
function pageHeaders(
  nonce: string,
  { issuer, storage }: Readonly<Record<'issuer' | 'storage', readonly string[]>>,
) {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': `'self' 'nonce-${nonce}'`,
    'style-src-attr': "'unsafe-inline'",
    'img-src': ["'self' data: blob:", ...storage].join(' '),
    'media-src': ["'self'", ...storage].join(' '),
    // Reads PDF files; its script is one of our own.
    'worker-src': "'self'",
    'font-src': "'self'",
    'connect-src': ["'self'", ...issuer, ...storage].join(' '),
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function sendUnbuilt(reply: FastifyReply) {
  return reply
    .code(503)
    .type('text/plain; charset=utf-8')
    .send('The dashboard is not built yet: `npm start` builds it.\n');
}
