/** The schema of what a tenant may use and has used. */
import { type Static, Type } from 'typebox';

export const Subscription = Type.Object(
  {
    plan: Type.Object({ name: Type.String() }),
    credits_used: Type.Number({
      description:
        'In the period. One credit is one minute of one cpu while a container runs; memory beyond 4 GiB per cpu counts as a quarter cpu per 4 GiB, a gpu as 20 cpus. An attempt is rounded up once, to a thousandth. Queueing, pulls, results taken over and what the platform spoilt are free.',
    }),
    credits_remaining: Type.Optional(
      Type.Number({
        description:
          'Absent without a limit. What is held for work under way is neither remaining nor used: credits are held for five minutes at a time, and what was not needed returns when the work ends.',
      }),
    ),
    credits_limit: Type.Optional(
      Type.Integer({ description: 'For each period. Absent without a limit.' }),
    ),
    credits_added: Type.Optional(
      Type.Number({
        description: 'On top of `credits_limit`, in this period alone; absent if nothing was.',
      }),
    ),
    period_start: Type.String({ format: 'date-time' }),
    period_end: Type.String({ format: 'date-time' }),
    storage_used_bytes: Type.Integer({
      description:
        'Of all stored contents, earlier versions and the trash included. Copies share their bytes and count once. Previews do not count.',
    }),
    storage_limit_bytes: Type.Optional(
      Type.Integer({
        description:
          'Absent without a limit. Bytes reserved by uploads under way count against it as well.',
      }),
    ),
    seats_used: Type.Integer({ description: 'Active users and open invitations.' }),
    seats_limit: Type.Optional(Type.Integer({ description: 'Absent without a limit.' })),
  },
  { title: 'Subscription' },
);
export type Subscription = Static<typeof Subscription>;
