/** Bytes that go out: files, and folders as ZIPs. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Caller } from '../../../callers.ts';
import { untilGone } from '../../../http/gone.ts';
import { sendBytes } from '../../../http/send-bytes.ts';
import type { Services } from '../../../services.ts';
import { hideWhy, useDownloadUrl } from '../download-urls/download-urls.ts';
import { CogId, VersionNumber } from '../schema.ts';
import { versionToDownload } from '../versions/versions.ts';
import { openZips } from '../zips/zips.ts';
import { cogToDownload, headersOf } from './downloads.ts';
import type { StoredFile } from './queries.ts';

const tags = ['Cogs'];

const Download = {
  description: 'The bytes; 206 with a part of them for a `Range`.',
  content: {
    'application/octet-stream': { schema: Type.String({ format: 'binary' }) },
    'application/zip': { schema: Type.String({ format: 'binary' }) },
  },
};

export const downloadRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, readDb, storage } = services;
    const zips = openZips(services);

    async function sendFile(
      request: FastifyRequest,
      reply: FastifyReply,
      file: Omit<StoredFile, 'id' | 'cog_type'>,
      inline: boolean,
    ) {
      reply.headers(headersOf(file, inline));
      await sendBytes(services, request, reply, {
        size_bytes: file.size_bytes,
        etag: file.checksum_sha256,
        copyTo: (range, begin) => storage.copyTo(file, range, begin),
      });
      return reply;
    }

    /** Sends what the caller may see of these cogs. */
    async function sendZip(
      request: FastifyRequest,
      reply: FastifyReply,
      caller: Caller,
      { ids, name }: { ids: readonly number[]; name: string },
    ) {
      const zip = await zips.open(caller, ids, untilGone(reply));
      try {
        reply.headers(headersOf({ name: `${name}.zip`, mime_type: 'application/zip' }, false));
        await sendBytes(services, request, reply, zip);
      } finally {
        zip.close();
      }
      return reply;
    }

    app.get(
      '/cogs/:id/download',
      {
        config: { turn: 'none' },
        schema: {
          operationId: 'downloadCog',
          summary: "A file's bytes, or a folder as a ZIP, whole or a range of them",
          description:
            'A ZIP stores its members without compression, in the order of their paths. What the caller may not see is left out, and its number is in `_omitted.txt`. Names that differ only in case get numbers.',
          tags,
          params: CogId,
          querystring: Type.Object({
            version: Type.Optional({
              ...VersionNumber,
              description: 'Of a file; the current one unless given.',
            }),
            inline: Type.Optional(
              Type.Boolean({
                description:
                  'To be shown instead of saved: raster images, audio, video, PDF and plain text.',
              }),
            ),
          }),
          response: { 200: Download },
        },
      },
      async (request, reply) => {
        const { caller, params, query } = request;
        const { inline = false, version } = query;
        if (version !== undefined) {
          const file = await versionToDownload(db, caller, params.id, version);
          return sendFile(request, reply, file, inline);
        }
        const cog = await cogToDownload(readDb, caller, params.id);
        if (cog.cog_type === 'file') return sendFile(request, reply, cog, inline);
        return sendZip(request, reply, caller, { ids: [cog.id], name: cog.name });
      },
    );

    app.get(
      '/d/:token',
      {
        config: { access: 'public', limit: 'none', secret: 'token' },
        schema: {
          operationId: 'downloadByUrl',
          summary: 'What a download URL gives: a file, or a ZIP',
          description: 'Like a download, with the rights that its maker has now.',
          tags,
          params: Type.Object({ token: Type.String() }),
          response: { 200: Download },
        },
      },
      async (request, reply) => {
        reply.header('referrer-policy', 'no-referrer');
        try {
          const { maker, inline, ...given } = await useDownloadUrl(readDb, request.params.token);
          if ('zip' in given) return await sendZip(request, reply, maker, given.zip);
          const { file, version } = given;
          if (version === undefined) return await sendFile(request, reply, file, inline);
          const pinned = await versionToDownload(db, maker, file.id, version);
          return await sendFile(request, reply, pinned, inline);
        } catch (error) {
          throw hideWhy(error);
        }
      },
    );
  };
