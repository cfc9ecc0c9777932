/** File contents that come in: uploads and new versions. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { ErrorBody } from '../../../http/docs.ts';
import { readFileForm, takeFileForms } from '../../../http/file-form.ts';
import { once, repetitionOf } from '../../../http/idempotency.ts';
import { compileCheck } from '../../../http/validation.ts';
import type { Services } from '../../../services.ts';
import { Cog, CogId, IfMatch } from '../schema.ts';
import { receiveContent } from '../versions/versions.ts';
import { openUploads } from './uploads.ts';

const tags = ['Cogs'];

const declared = {
  checksum_sha256: Type.Optional(
    Type.String({
      description: 'Hexadecimal. 409 `checksum_mismatch` unless the bytes have this checksum.',
    }),
  ),
};

const UploadForm = Type.Object({
  parent_id: Type.Optional(
    Type.Integer({ description: 'The root unless given. Best before the file.' }),
  ),
  ...declared,
  file: Type.String({ format: 'binary' }),
});

const ContentForm = Type.Object({ ...declared, file: Type.String({ format: 'binary' }) });

export const contentRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const uploads = openUploads(services);
    await takeFileForms(app);

    app.post(
      '/cogs/upload-file',
      {
        config: { limit: 'upload', turn: 'none', body: 'stream' },
        schema: {
          operationId: 'uploadFile',
          summary: 'Upload a file',
          description:
            'The name is that of the file part, never a path. With `parent_id` before the file, rights and name are checked before the bytes are read.',
          tags,
          consumes: ['multipart/form-data'],
          body: UploadForm,
          response: {
            201: Cog,
            507: { ...ErrorBody, description: 'The server has no room for the file' },
          },
        },
        // The form is parsed as a stream; its schema is for documentation only.
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const repetition = repetitionOf(services, request);
        const incoming = uploads.receive(request.caller, repetition);
        try {
          const fields = await readFileForm(
            request,
            ['parent_id', 'checksum_sha256'],
            incoming.store,
          );
          incoming.requireDeclared(fields);
          return await once(
            services,
            request,
            reply,
            201,
            (tx) => incoming.makeFile(tx, fields),
            incoming.fingerprint(fields),
          );
        } finally {
          await incoming.dropUnused();
          repetition.end();
        }
      },
    );

    app.post(
      '/cogs/:id/content',
      {
        config: { limit: 'upload', turn: 'none', body: 'stream' },
        schema: {
          operationId: 'storeContent',
          summary: "Replace a file's content by a new version",
          description:
            'The content before is kept as a version; the name stays. With `If-Match`, the `ETag` of its download: 412 if the content has changed since.',
          tags,
          params: CogId,
          headers: IfMatch,
          consumes: ['multipart/form-data'],
          body: ContentForm,
          response: {
            201: Cog,
            507: { ...ErrorBody, description: 'The server has no room for the file' },
          },
        },
        validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : compileCheck(part)),
      },
      async (request, reply) => {
        const { caller, params, headers } = request;
        const repetition = repetitionOf(services, request);
        const ifMatch = headers['if-match'];
        const incoming = receiveContent(services, caller, params.id, ifMatch, repetition);
        try {
          const fields = await readFileForm(request, ['checksum_sha256'], incoming.store);
          incoming.requireDeclared(fields);
          return await once(services, request, reply, 201, incoming.keep, incoming.fingerprint());
        } finally {
          await incoming.dropUnused();
          repetition.end();
        }
      },
    );
  };
