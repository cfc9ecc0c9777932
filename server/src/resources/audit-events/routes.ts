import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { csvOf, wantsCsv } from '../../http/csv.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { type ExportedEvent, exportEvents, listEvents, readingOf } from './audit-events.ts';
import { AuditEvent, AuditEventFilters, AuditEventFormat } from './schema.ts';

const header = [
  ...['id', 'created_at', 'action', 'actor_id', 'actor_email', 'target_type', 'target_id'],
  ...['details', 'key_id', 'request_id'],
];

export const auditEventRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/audit-events/',
      {
        // An export takes as long as its reader, so each of its portions has a turn of its own.
        config: { turn: 'none' },
        schema: {
          operationId: 'listAuditEvents',
          summary: 'What happened in the tenant, the newest first (tenant admins)',
          description:
            'Reading is an event of its own (`audit_events.read`, `audit_events.exported`), with the filters. The pages after the first belong to the same reading.',
          tags: ['Audit'],
          querystring: Type.Object({ ...PagingQuery, ...AuditEventFilters, ...AuditEventFormat }),
          response: { 200: Type.Array(AuditEvent) },
        },
      },
      async (request, reply) => {
        const { caller, query, method } = request;
        const inTurn = async <Result>(work: () => Promise<Result>) => {
          const end = await app.takeTurn('search', caller, reply);
          try {
            return await work();
          } finally {
            end();
          }
        };
        const { action, actor_id, user_id, outcome, target_type, target_id, from, to } = query;
        const filters = {
          ...(action !== undefined && { action }),
          ...(actor_id !== undefined && { actor_id }),
          ...(user_id !== undefined && { user_id }),
          ...(outcome !== undefined && { outcome }),
          ...(target_type !== undefined && { target_type }),
          ...(target_id !== undefined && { target_id }),
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
        };
        if (!wantsCsv(request, query.format)) {
          return inTurn(() =>
            sendPage(
              services,
              request,
              reply,
              (page) => listEvents(db, caller, filters, page),
              (event) => [event.id, readingOf(caller, filters)],
            ),
          );
        }
        const callerNow = () => request.authenticateAgain();
        const portions = await exportEvents(db, caller, filters, inTurn, callerNow);
        reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', 'attachment; filename="audit-events.csv"');
        const lines = method === 'HEAD' ? [] : linesOf(portions);
        return reply.send(Readable.from(lines) as never);
      },
    );
  };

async function* linesOf(portions: AsyncIterable<ExportedEvent[]>) {
  yield csvOf(header, []);
  for await (const events of portions) yield rowsOf(events);
}

const rowsOf = (events: readonly ExportedEvent[]) =>
  csvOf(
    undefined,
    events.map((event) => [
      ...[event.id, event.created_at, event.action, event.actor_id, event.actor_email],
      ...[event.target_type, event.target_id, JSON.stringify(event.details)],
      ...[event.key_id, event.request_id],
    ]),
  );
