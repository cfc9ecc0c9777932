/** Previews of files. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { sendBytes } from '../../../http/send-bytes.ts';
import type { Services } from '../../../services.ts';
import { headersOf } from '../files/downloads.ts';
import { CogId, VersionNumber } from '../schema.ts';
import { openPreviews } from './previews.ts';

export const previewRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { storage } = services;
    const previews = openPreviews(services);
    app.addHook('onClose', () => previews.close());

    app.get(
      '/cogs/:id/preview',
      {
        config: { turn: 'none' },
        schema: {
          operationId: 'previewCog',
          summary: 'A small picture of an image, or of the first page of a PDF',
          description:
            'Made at the first request; 202 with `Retry-After` while that takes longer than some seconds. 415 `no_preview` if there is none of these bytes: other types (SVG among them), damaged or too large files. 503 `previews_off` on a server that makes none.',
          tags: ['Cogs'],
          params: CogId,
          querystring: Type.Object({
            size: Type.Optional(
              Type.Union([Type.Literal(256), Type.Literal(1024)], {
                default: 256,
                description: 'Pixels of the longer side, at most.',
              }),
            ),
            version: Type.Optional({
              ...VersionNumber,
              description: 'The current one unless given.',
            }),
          }),
          response: {
            200: {
              description: 'The picture, without metadata.',
              content: { 'image/webp': { schema: Type.String({ format: 'binary' }) } },
            },
            202: Type.Object({ status: Type.Literal('being_made') }, { title: 'PreviewBeingMade' }),
          },
        },
      },
      async (request, reply) => {
        const { caller, params, query } = request;
        const { size = 256, version } = query;
        const wanted = { id: params.id, size, ...(version !== undefined && { version }) };
        const preview = await previews.get(caller, wanted);
        if (!preview) {
          reply.code(202).header('retry-after', 2).header('cache-control', 'no-store');
          return { status: 'being_made' as const };
        }
        reply.headers(headersOf({ name: 'preview.webp', mime_type: 'image/webp' }, true));
        await sendBytes(services, request, reply, {
          size_bytes: preview.size_bytes,
          etag: preview.checksum_sha256,
          copyTo: (range, begin) => storage.copyTo(preview, range, begin),
        });
        return reply;
      },
    );
  };
