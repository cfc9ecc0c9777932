import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Services } from '../../services.ts';
import { getOrganization, renameOrganization } from './organization.ts';
import { Organization, OrganizationChanges } from './schema.ts';

const tags = ['Account'];

export const organizationRoutes =
  ({ db }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/organization',
      {
        schema: {
          operationId: 'getOrganization',
          summary: 'My organization',
          tags,
          response: { 200: Organization },
        },
      },
      (request) => getOrganization(db, request.caller),
    );

    app.patch(
      '/organization',
      {
        schema: {
          operationId: 'changeOrganization',
          summary: 'Rename my organization (tenant admins)',
          tags,
          body: OrganizationChanges,
          response: { 200: Organization },
        },
      },
      (request) => renameOrganization(db, request.caller, request.body),
    );
  };
