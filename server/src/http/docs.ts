/**
 * `/openapi.json` and `/docs`, generated from the routes and served without any outside host. A
 * schema with a `title` becomes a named component, so that generated clients have type names.
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';

const description = `Files and folders (cogs), sharing, and workflows of containers over them.

Every request is limited to the caller's tenant: an item of another tenant answers as one that
does not exist. Lists take \`offset\` and \`limit\`, and carry a \`Link\` with a \`cursor\` while there is
more; a page of large rows may end before its limit. \`Idempotency-Key\` on a POST that creates or starts something makes repeating it safe for
24 hours. Errors are \`{ "detail" }\`; a conflict has a \`code\`, a validation error lists its fields.
An answer of 503 may be tried again after \`Retry-After\`: the database is starting, or too much is under
way. 507 with the code \`storage_full\` means that the server has no room to store anything.

The same files and folders are at \`/dav/\` by WebDAV (RFC 4918, classes 1 and 2), as a network drive for
Finder, Explorer and rclone: HTTP Basic with any user name, and an API key as the password. In the same way \`/v2/\` is a registry for images of
nodes, by the OCI distribution specification 1.1.`;

/** Call before any route is registered: the plugin collects routes as they are registered. */
export async function describeRoutes(app: FastifyInstance, baseUrl: () => string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Cogworks', version: '0.1.0', description },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          worker: { type: 'http', scheme: 'bearer', description: "A worker's own token." },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
    },
    transform: ({ schema, url, route }) => ({ schema: withConventions(schema, route), url }),
    transformObject: (document) =>
      'openapiObject' in document ? withComponents(document.openapiObject) : document.swaggerObject,
  });
  // The plugin's own pages and assets need no credentials and are not rate limited.
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs'))
      route.config = { ...route.config, access: 'public', limit: 'none' };
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The base layout has no top bar.
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      persistAuthorization: false,
      validatorUrl: null,
    },
    theme: { title: 'Cogworks API' },
    staticCSP: true,
  });
  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { access: 'public', limit: 'none' } },
    async () => ({ ...app.swagger(), servers: [{ url: baseUrl() }] }),
  );
}

export const ErrorBody = Type.Object(
  {
    detail: Type.Union([Type.String(), Type.Array(Type.Unknown())]),
    code: Type.Optional(Type.String({ description: 'A stable word for programs.' })),
    more_faults: Type.Optional(
      Type.Integer({
        description: 'Of a 422 with more than 100 faults: how many `detail` does not list.',
      }),
    ),
    error_id: Type.Optional(Type.String({ description: 'Of a 500: what support finds it by.' })),
    quota: Type.Optional(
      Type.Enum(['storage', 'seats'], {
        description:
          'Of a 403 `quota_exceeded`: which limit, with `limit`, `used`, `reserved` and `requested`, in bytes or users.',
      }),
    ),
    limit: Type.Optional(Type.Integer()),
    used: Type.Optional(Type.Integer()),
    reserved: Type.Optional(Type.Integer()),
    requested: Type.Optional(Type.Integer()),
  },
  { title: 'Error' },
);

const errorTexts: Record<number, string> = {
  401: 'Missing or invalid credentials',
  422: 'Validation error, with field-level details of at most 100 faults',
  429: 'Rate limit exceeded; see Retry-After',
  500: 'Server error, with an error_id',
};

/** A route's access in OpenAPI terms; without an entry the document's default applies. */
const securityOf: Record<string, object[] | undefined> = {
  public: [],
  optional: [{}, { bearer: [] }],
  worker: [{ worker: [] }],
};

type RouteLike = { config?: { access?: string } };

/** Adds what applies to every route: security, and errors that any route may answer. */
function withConventions(schema: unknown, route: RouteLike) {
  const own = (schema ?? {}) as { response?: Record<string, unknown>; security?: unknown };
  const access = route.config?.access ?? 'user';
  const errors = Object.entries(errorTexts).filter(
    ([status]) => status !== '401' || access !== 'public',
  );
  const response = Object.fromEntries(
    errors.map(([status, text]) => [status, { ...ErrorBody, description: text }]),
  );
  const security = securityOf[access];
  return {
    ...own,
    ...(security === undefined ? {} : { security }),
    response: { ...own.response, ...response },
  } as never;
}

type Json = Record<string, unknown>;

/** Moves every schema with a title to `components.schemas`, once, and references it. */
function withComponents(document: object) {
  const components: Record<string, unknown> = {};
  const visit = (value: unknown, isSchema: boolean): unknown => {
    if (Array.isArray(value)) return value.map((entry) => visit(entry, isSchema));
    if (value === null || typeof value !== 'object') return value;
    const copy = Object.fromEntries(
      Object.entries(value as Json).map(([key, entry]) => [
        key,
        visit(entry, isSchema || key === 'schema'),
      ]),
    );
    if (!isSchema && mayBeNull(copy)) return { ...copy, required: false };
    const { title } = copy;
    // `properties: { title: … }` is a field named "title", not the title of a schema.
    if (!isSchema || typeof title !== 'string' || !('type' in copy || 'anyOf' in copy)) return copy;
    components[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  };
  const { components: own, paths, ...rest } = document as { components?: Json; paths: unknown };
  const visited = visit(paths, false);
  return {
    ...rest,
    components: { ...own, schemas: sorted(components) },
    paths: sorted(visited as Json),
  } as never;
}

/** A body that may be null may also be left out; the plugin calls every body required. */
function mayBeNull({ required, content }: Json): boolean {
  const json = (content as { 'application/json'?: { schema?: Json } })?.['application/json'];
  const kinds = json?.schema?.anyOf as { type?: string }[] | undefined;
  return required === true && kinds?.some(({ type }) => type === 'null') === true;
}

const sorted = (object: Json): Json =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
