/** Making files of uploads whose bytes are stored. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { itemError } from '../../../http/error-handler.ts';
import { takeFormFields } from '../../../http/form-fields.ts';
import type { Services } from '../../../services.ts';
import { Cog, IfMatch } from '../schema.ts';
import { confirmMany } from './batch.ts';
import { openConfirmations } from './confirm.ts';
import { Confirmation, Confirmations, Confirmed, Verifying } from './schema.ts';

const tags = ['Cogs'];

/** A list of ten thousand parts with long ETags, in a text. */
const bodyBytes = 4 * 1024 * 1024;

export const confirmRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const confirmations = openConfirmations(services);
    app.addHook('preClose', confirmations.close);

    await app.register(async (forms: typeof app) => {
      takeFormFields(forms, ['upload_id', 'file_size', 'parent_id']);
      forms.post(
        '/cogs/confirm-upload',
        {
          bodyLimit: bodyBytes,
          config: { limit: 'upload', turn: 'none' },
          schema: {
            operationId: 'confirmUpload',
            summary: 'Make the file of an upload whose parts are stored',
            description:
              'Repeating it answers the same file. 202 while the bytes are read for the checksum: repeat it. After 409 `parts_mismatch` or `name_collision` it can be repeated, with the parts sent again or with another `name`. For a new version, `If-Match` as for a new content.',
            tags,
            consumes: [
              'application/json',
              'multipart/form-data',
              'application/x-www-form-urlencoded',
            ],
            headers: IfMatch,
            body: Confirmation,
            response: { 201: Cog, 202: Verifying },
          },
        },
        async ({ caller, body, headers }, reply) => {
          const answer = await confirmations.confirm(caller, body, {
            ifMatch: headers['if-match'],
          });
          reply.code('state' in answer ? 202 : 201);
          return answer;
        },
      );
    });

    app.post(
      '/cogs/confirm-uploads',
      {
        bodyLimit: bodyBytes,
        config: { limit: 'upload', turn: 'none' },
        schema: {
          operationId: 'confirmUploads',
          summary: 'Make the files of many uploads',
          description: 'As many confirmations, each with a result of its own.',
          tags,
          body: Confirmations,
          response: { 200: Confirmed },
        },
      },
      async (request) => {
        const { caller, body } = request;
        const outcomes = await confirmMany(confirmations, caller, body.uploads);
        const results = outcomes.map((one, at) => {
          const upload_id = body.uploads[at]?.upload_id ?? 0;
          if ('error' in one) return { upload_id, error: itemError(request, one.error) };
          const { result } = one;
          return 'state' in result ? { upload_id, verifying: result } : { upload_id, cog: result };
        });
        return { results };
      },
    );
  };
