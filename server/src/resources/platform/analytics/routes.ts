import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { csvOf, wantsCsv } from '../../../http/csv.ts';
import type { Services } from '../../../services.ts';
import { readReport } from './analytics.ts';
import { reports } from './reports.ts';
import { Range, Report, reportNames } from './schema.ts';

export const analyticsRoutes =
  ({ db }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    for (const name of reportNames)
      app.get(
        `/platform/analytics/${name}`,
        {
          config: { turn: 'search' },
          schema: {
            operationId: `get${name[0]?.toUpperCase()}${name.slice(1)}Report`,
            summary: `Analytics: ${reports[name].summary}`,
            description:
              'For administrators, of their organization; for platform administrators of one or all. Exact at any moment, what is under way left out; stored bytes up to ten seconds late. Whole periods: `from` and `to` of the answer say which. CSV has a column for each series.',
            tags: ['Analytics'],
            querystring: Range,
            response: { 200: Report },
          },
        },
        async (request, reply) => {
          const { query, caller } = request;
          const report = await readReport(db, caller, name, query);
          if (!wantsCsv(request, query.format)) return report;
          return reply
            .type('text/csv; charset=utf-8')
            .header('content-disposition', `attachment; filename="${name}.csv"`)
            .send(tableOf(report) as never);
        },
      );
  };

function tableOf({ series }: Report): string {
  const [first] = series;
  const rows = (first?.points ?? []).map(({ t }, at) => [
    t,
    ...series.map(({ points }) => points[at]?.value ?? 0),
  ]);
  return csvOf(['t', ...series.map(({ title }) => title)], rows);
}
