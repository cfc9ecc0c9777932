import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Services } from '../../../services.ts';
import { AuditHead, AuditVerification, Head } from './schema.ts';
import { checkEvents, showHead } from './seals-of-tenant.ts';

const tags = ['Audit'];

export const auditSealRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/audit-events/head',
      {
        schema: {
          operationId: 'getAuditHead',
          summary: 'The seal of the last block of events (tenant admins)',
          description:
            'Kept elsewhere, it proves later that no block before it was replaced, and none removed: give it to `/audit-events/verify`.',
          tags,
          response: { 200: AuditHead },
        },
      },
      (request) => showHead(services.db, request.caller),
    );

    app.get(
      '/audit-events/verify',
      {
        // It reads all events, so each of its portions has a turn of its own.
        config: { turn: 'none' },
        schema: {
          operationId: 'verifyAuditEvents',
          summary: 'Compare all events with their seals (tenant admins)',
          description:
            'Names the events and blocks that were changed, removed or added afterwards, and with a head that was kept also whether blocks were cut off at the end. Takes seconds per million events. An event of its own (`audit_events.verified`).',
          tags,
          querystring: Type.Object({ head: Type.Optional(Head) }),
          response: { 200: AuditVerification },
        },
      },
      (request, reply) => {
        const { caller, query } = request;
        return checkEvents(services, caller, query.head, async (work) => {
          const end = await app.takeTurn('search', caller, reply);
          try {
            return await work();
          } finally {
            end();
          }
        });
      },
    );
  };
