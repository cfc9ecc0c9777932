import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { listEvents } from './audit-events.ts';
import { AuditEvent, AuditEventFilters } from './schema.ts';

export const auditEventRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/audit-events/',
      {
        schema: {
          operationId: 'listAuditEvents',
          summary: 'What happened in the tenant, the newest first (tenant admins)',
          tags: ['Audit'],
          querystring: Type.Object({ ...PagingQuery, ...AuditEventFilters }),
          response: { 200: Type.Array(AuditEvent) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listEvents(services.db, request.caller, request.query, page),
          (event) => [event.id],
        ),
    );
  };
