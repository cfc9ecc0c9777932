/** The versions of files; content-routes.ts stores and sends their bytes. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../../http/paging.ts';
import type { Services } from '../../../services.ts';
import { Cog, CogId, FileVersion, IfMatch, VersionNumber } from '../schema.ts';
import { deleteVersion, listVersions, restoreVersion } from './versions.ts';

const tags = ['Cogs'];
const VersionOfCog = Type.Object({ id: Type.Integer(), version: VersionNumber });

export const fileVersionRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/cogs/:id/versions',
      {
        schema: {
          operationId: 'listFileVersions',
          summary: 'The contents a file has had, newest first',
          description: 'The current one is included.',
          tags,
          params: CogId,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(FileVersion) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listVersions(db, request.caller, request.params.id, page),
          ({ version }) => [version],
        ),
    );

    app.post(
      '/cogs/:id/versions/:version/restore',
      {
        schema: {
          operationId: 'restoreFileVersion',
          summary: 'Make an earlier content the current one again',
          description: 'As a new version, without copying bytes. `If-Match` as for a new content.',
          tags,
          params: VersionOfCog,
          headers: IfMatch,
          response: { 200: Cog },
        },
      },
      (request, reply) =>
        once(services, request, reply, 200, (tx) => {
          const { caller, params, headers } = request;
          return restoreVersion(tx, caller, params.id, params.version, headers['if-match']);
        }),
    );

    app.delete(
      '/cogs/:id/versions/:version',
      {
        schema: {
          operationId: 'deleteFileVersion',
          summary: 'Remove an earlier content for ever',
          tags,
          params: VersionOfCog,
          response: { 204: Type.Null() },
        },
      },
      async ({ caller, params }, reply) => {
        await deleteVersion(db, caller, params.id, params.version);
        reply.code(204);
        return null;
      },
    );
  };
