/** What a file was made from, and what was made from it. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { PagingQuery, sendPage } from '../../../http/paging.ts';
import type { Services } from '../../../services.ts';
import { CogId, VersionNumber } from '../schema.ts';
import { getProvenance, listInputs } from './provenance.ts';
import { MadeFile, Provenance, ProvenanceInput, ProvenanceRun } from './schema.ts';
import { listMadeFiles, listUses } from './uses.ts';

const tags = ['Cogs'];
const version = Type.Optional({
  ...VersionNumber,
  description: 'The content whose origin is asked for; the current one unless given.',
});

export const provenanceRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/cogs/:id/provenance',
      {
        schema: {
          operationId: 'getProvenance',
          summary: 'How a file was made, and what was made from it',
          description:
            'The run that made it, with all that is needed to make it again, and the first rows of the lists of its inputs and of the runs that it went into. Files that the caller may not see are counted, not named. 400 for a folder.',
          tags,
          params: CogId,
          querystring: Type.Object({ version }),
          response: { 200: Provenance },
        },
      },
      ({ caller, params, query }) => getProvenance(services, caller, params.id, query.version),
    );

    app.get(
      '/cogs/:id/provenance/inputs',
      {
        schema: {
          operationId: 'listProvenanceInputs',
          summary: 'The input files that a file was made from',
          description:
            'By input of the graph and in the order of the run; none for a file that no run made. A file that the caller may not see is a row without a name.',
          tags,
          params: CogId,
          querystring: Type.Object({ ...PagingQuery, version }),
          response: { 200: Type.Array(ProvenanceInput) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) =>
            listInputs(services, request.caller, request.params.id, request.query.version, page),
          ({ input_name, position }) => [input_name, position],
        ),
    );

    app.get(
      '/cogs/:id/provenance/runs',
      {
        schema: {
          operationId: 'listProvenanceRuns',
          summary: 'The runs that a file went into',
          description:
            'In any of its versions; newest first, deleted runs included. Each with the first results that were made from it.',
          tags,
          params: CogId,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(ProvenanceRun) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listUses(services, request.caller, request.params.id, page),
          ({ workflow_run_id }) => [workflow_run_id],
        ),
    );

    app.get(
      '/cogs/:id/provenance/runs/:run_id/files',
      {
        schema: {
          operationId: 'listProvenanceFiles',
          summary: 'The results of a run that were made from a file',
          description:
            'By node run. Of nodes that run per file only those of its lane. A file that the caller may not see is a row without a name. 404 for a run that it did not go into.',
          tags,
          params: Type.Object({ id: Type.Integer(), run_id: Type.Integer() }),
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(MadeFile) },
        },
      },
      (request, reply) => {
        const { id, run_id } = request.params;
        return sendPage(
          services,
          request,
          reply,
          (page) => listMadeFiles(services, request.caller, id, run_id, page),
          ({ node_run_id, id: file }) => [node_run_id, file],
        );
      },
    );
  };
