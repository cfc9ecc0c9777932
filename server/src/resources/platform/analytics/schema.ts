/** Schemas of analytics. */
import { type Static, Type } from 'typebox';

export const reportNames = [
  'overview',
  'runs',
  'nodes',
  'storage',
  'users',
  'workers',
  'credits',
] as const;
export type ReportName = (typeof reportNames)[number];

export const Range = Type.Object({
  from: Type.Optional(
    Type.String({ format: 'date-time', description: '30 days ago, unless given.' }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Now, unless given.' })),
  bucket: Type.Optional(Type.Enum(['hour', 'day', 'week', 'month'], { default: 'day' })),
  tz: Type.Optional(
    Type.String({
      maxLength: 64,
      default: 'UTC',
      description: 'Whose hours and days they are, for example Europe/Berlin.',
    }),
  ),
  tenant_id: Type.Optional(
    Type.Integer({ description: 'One tenant, for platform administrators; otherwise all.' }),
  ),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], { description: '`Accept: text/csv` says the same.' }),
  ),
});
export type Range = Static<typeof Range>;

const Series = Type.Object(
  {
    key: Type.String({ examples: ['success', 'attempts:12'] }),
    title: Type.String({ examples: ['resize 1.0: containers'] }),
    subject: Type.Optional(
      Type.String({
        description: 'The name of the node definition, worker, user or workflow that it is about.',
      }),
    ),
    unit: Type.Enum(['count', 'seconds', 'credits', 'bytes']),
    points: Type.Array(
      Type.Object({
        t: Type.String({ format: 'date-time', description: 'When the period begins.' }),
        value: Type.Number(),
      }),
    ),
  },
  { title: 'Series' },
);
export type Series = Static<typeof Series>;

export const Report = Type.Object(
  {
    from: Type.String({ format: 'date-time', description: 'When the first period begins.' }),
    to: Type.String({ format: 'date-time', description: 'When the last one ends.' }),
    bucket: Type.Enum(['hour', 'day', 'week', 'month']),
    tz: Type.String(),
    series: Type.Array(Series),
    totals: Type.Record(Type.String(), Type.Number(), {
      description:
        'By key, over the whole range: distinct users once, durations of all runs, what is stored at its end.',
    }),
  },
  { title: 'Report' },
);
export type Report = Static<typeof Report>;
