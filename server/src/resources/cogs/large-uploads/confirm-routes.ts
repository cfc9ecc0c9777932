/** Making files of uploads whose bytes are stored. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { takeFormFields } from '../../../http/form-fields.ts';
import type { Services } from '../../../services.ts';
import { Cog, IfMatch } from '../schema.ts';
import { openConfirmations } from './confirm.ts';
import { Confirmation, Verifying } from './schema.ts';

const tags = ['Cogs'];

/** A list of ten thousand parts with long ETags, in a text. */
const bodyBytes = 4 * 1024 * 1024;

export const confirmRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { confirm, close } = openConfirmations(services);
    app.addHook('preClose', close);

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
          const answer = await confirm(caller, body, headers['if-match']);
          reply.code('state' in answer ? 202 : 201);
          return answer;
        },
      );
    });
  };
