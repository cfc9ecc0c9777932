/** Announcing files whose bytes go directly to the storage; confirm-routes.ts makes the files. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import type { Effect } from '../../../effects.ts';
import { ErrorBody } from '../../../http/docs.ts';
import { itemError } from '../../../http/error-handler.ts';
import { once } from '../../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../../http/paging.ts';
import type { Services } from '../../../services.ts';
import { initiateMany } from './batch.ts';
import { initiate } from './initiate.ts';
import { abortUpload, abortUploads, freshUrls, getUpload, listUploads } from './open-uploads.ts';
import {
  AbortedUploads,
  BegunBatch,
  BegunUpload,
  NewBatch,
  NewUpload,
  PartUrls,
  UploadDetails,
  UploadId,
  UploadRecord,
  WantedParts,
} from './schema.ts';

const tags = ['Cogs'];

export const noRoom = { ...ErrorBody, description: 'The server has no room for the file' };

export const uploadRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.post(
      '/cogs/uploads/initiate',
      {
        config: { limit: 'upload' },
        schema: {
          operationId: 'initiateUpload',
          summary: 'Begin the upload of a large file',
          description:
            'Send each part by a PUT to its URL, keep the `ETag` of each answer, and confirm the upload. It expires after 7 days. At most 10,000 of a user are open at a time (409 `too_many_uploads`).',
          tags,
          body: NewUpload,
          response: { 201: BegunUpload, 507: noRoom },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, {
          prepare: () => initiate(services, request.caller, request.body),
        }),
    );

    app.post(
      '/cogs/uploads/batch',
      {
        config: { limit: 'upload' },
        schema: {
          operationId: 'initiateUploads',
          summary: 'Begin the uploads of many files',
          description:
            'Missing folders of their paths are made; a request has at most 5,000 folders (`too_many_folders`). A file that may not be has an error of its own; the others are not affected. With `existing: version` a file whose name is taken by another file becomes a new version of that when it is confirmed; with `existing: changed` one whose content is there already needs no upload. Where an upload comes without the URLs of its parts, ask for them.',
          tags,
          body: NewBatch,
          response: { 201: BegunBatch, 507: noRoom },
        },
      },
      async (request, reply) => {
        const { caller, body } = request;
        const prepare = async (): Promise<Effect<Static<typeof BegunBatch>>> => {
          const act = await initiateMany(services, caller, body);
          return async (tx, way) => ({
            uploads: (await act(tx, way)).map((one, at) => {
              const path = body.files[at]?.path ?? '';
              if ('error' in one) return { path, error: itemError(request, one.error) };
              return { path, ...one.result };
            }),
          });
        };
        return once(services, request, reply, 201, { prepare });
      },
    );

    app.get(
      '/cogs/uploads',
      {
        schema: {
          operationId: 'listUploads',
          summary: "The caller's uploads that have not ended",
          description: 'Newest first; others are never listed.',
          tags,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(UploadRecord) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listUploads(db, request.caller, page),
          ({ upload_id }) => [upload_id],
        ),
    );

    app.get(
      '/cogs/uploads/:upload_id',
      {
        schema: {
          operationId: 'getUpload',
          summary: 'An upload, and what is stored of it',
          tags,
          params: UploadId,
          response: { 200: UploadDetails },
        },
      },
      (request) => getUpload(services, request.caller, request.params.upload_id),
    );

    app.post(
      '/cogs/uploads/:upload_id/parts',
      {
        schema: {
          operationId: 'createPartUrls',
          summary: 'Fresh URLs for some parts of an upload',
          tags,
          params: UploadId,
          body: WantedParts,
          response: { 200: PartUrls },
        },
      },
      async ({ caller, params, body }) => ({
        parts: await freshUrls(services, caller, params.upload_id, body.part_numbers),
      }),
    );

    app.delete(
      '/cogs/uploads/:upload_id',
      {
        schema: {
          operationId: 'abortUpload',
          summary: 'Abort an upload and remove its parts',
          tags,
          params: UploadId,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await abortUpload(services, request.caller, request.params.upload_id);
        reply.code(204);
        return null;
      },
    );

    app.post(
      '/cogs/uploads/abort',
      {
        schema: {
          operationId: 'abortUploads',
          summary: 'Abort many uploads and remove their parts',
          description: "Those that have ended, or are not the caller's, are left as they are.",
          tags,
          body: AbortedUploads,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await abortUploads(services, request.caller, request.body.upload_ids);
        reply.code(204);
        return null;
      },
    );
  };
