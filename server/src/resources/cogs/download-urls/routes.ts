/** Making, listing and revoking download URLs; download-routes.ts answers them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../../http/paging.ts';
import type { Services } from '../../../services.ts';
import {
  CogId,
  DownloadUrl,
  DownloadUrlRequest,
  NewDownloadUrl,
  SelectionUrlRequest,
} from '../schema.ts';
import {
  listDownloadUrls,
  listMyDownloadUrls,
  makeDownloadUrl,
  makeSelectionUrl,
  revokeDownloadUrl,
} from './download-urls.ts';

const tags = ['Cogs'];

export const downloadUrlRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.post(
      '/cogs/:id/download-url',
      {
        schema: {
          operationId: 'createDownloadUrl',
          summary: 'Make a URL that downloads a file, or a folder as a ZIP, without credentials',
          description:
            'It gives what its maker may see at the time of use, until it expires, is revoked, or its maker is disabled. The answer is the only one that holds it.',
          tags,
          params: CogId,
          body: DownloadUrlRequest,
          response: { 201: NewDownloadUrl },
        },
      },
      (request, reply) => {
        const { caller, params, body } = request;
        return once(services, request, reply, 201, (tx) =>
          makeDownloadUrl(services, tx, caller, params.id, body),
        );
      },
    );

    app.get(
      '/cogs/:id/download-url',
      {
        schema: {
          operationId: 'listDownloadUrls',
          summary: 'The download URLs of a file or folder that still work, newest first',
          description:
            'All of them for owners and admins, else the own ones. Never the URL itself.',
          tags,
          params: CogId,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(DownloadUrl) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listDownloadUrls(db, request.caller, request.params.id, page),
          ({ id }) => [id],
        ),
    );

    app.post(
      '/cogs/download-url',
      {
        schema: {
          operationId: 'createSelectionUrl',
          summary: 'Make a URL that downloads several files and folders as one ZIP',
          description:
            'Like that of a single one. What its maker may not see at the time of use is left out and counted.',
          tags,
          body: SelectionUrlRequest,
          response: { 201: NewDownloadUrl },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          makeSelectionUrl(services, tx, request.caller, request.body),
        ),
    );

    app.get(
      '/cogs/download-urls',
      {
        schema: {
          operationId: 'listMyDownloadUrls',
          summary: 'My download URLs that still work, of selections too, newest first',
          description: 'For admins, those of the tenant.',
          tags,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(DownloadUrl) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listMyDownloadUrls(db, request.caller, page),
          ({ id }) => [id],
        ),
    );

    app.delete(
      '/cogs/download-urls/:id',
      {
        schema: {
          operationId: 'revokeDownloadUrl',
          summary: 'Revoke a download URL at once',
          description: 'By who made it, owns something that it gives, or is an admin.',
          tags,
          params: CogId,
          response: { 204: Type.Null() },
        },
      },
      async ({ caller, params }, reply) => {
        await revokeDownloadUrl(db, caller, params.id);
        reply.code(204);
        return null;
      },
    );
  };
