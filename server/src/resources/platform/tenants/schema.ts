/** Schemas of tenants, as platform admins see them. */
import { type Static, Type } from 'typebox';
import { planNames } from '../../../credits/plans.ts';

const bytes = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const seats = { minimum: 1, maximum: 1_000_000 };
const runs = { minimum: 1, maximum: 1_000_000 };
const credits = { minimum: 0, maximum: 1_000_000_000 };
const noLimit = 'Absent without a limit.';

export const Tenant = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    plan: Type.Enum(planNames),
    credits_limit: Type.Optional(Type.Integer({ description: `For each period. ${noLimit}` })),
    credits_remaining: Type.Optional(
      Type.Number({ description: `In this period, without what is held for work. ${noLimit}` }),
    ),
    credits_added: Type.Optional(
      Type.Integer({ description: 'To the limit of this period; absent if nothing was.' }),
    ),
    user_count: Type.Integer({ description: 'Active users.' }),
    seats_used: Type.Integer({ description: 'Active users and open invitations.' }),
    seats_limit: Type.Optional(Type.Integer({ description: noLimit })),
    storage_used_bytes: Type.Integer(),
    storage_limit_bytes: Type.Optional(Type.Integer({ description: noLimit })),
    max_running_node_runs: Type.Optional(Type.Integer({ description: noLimit })),
  },
  { title: 'Tenant' },
);
export type Tenant = Static<typeof Tenant>;

const limit = (options: { minimum: number; maximum: number }) =>
  Type.Optional(
    Type.Union([Type.Integer(options), Type.Null()], { description: '`null` ends the limit.' }),
  );

export const TenantChanges = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    plan: Type.Optional(
      Type.Enum(planNames, {
        description:
          'Sets the limits on credits, seats and storage to those of the plan, but for those that are given as well.',
      }),
    ),
    credits_limit: limit(credits),
    seats_limit: limit(seats),
    storage_limit_bytes: limit(bytes),
    max_running_node_runs: limit(runs),
  },
  { additionalProperties: false, title: 'TenantChanges' },
);
export type TenantChanges = Static<typeof TenantChanges>;

export const AddedCredits = Type.Object(
  {
    credits: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    reason: Type.Optional(
      Type.String({ maxLength: 500, description: 'For the audit trail of the tenant.' }),
    ),
  },
  { additionalProperties: false, title: 'AddedCredits' },
);
export type AddedCredits = Static<typeof AddedCredits>;

export const NewTenantRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    admin_email: Type.String({ format: 'email', maxLength: 320 }),
  },
  { additionalProperties: false, title: 'NewTenantRequest' },
);
export type NewTenantRequest = Static<typeof NewTenantRequest>;

export const NewTenant = Type.Object(
  {
    ...Tenant.properties,
    admin: Type.Object({
      user_id: Type.Integer(),
      email: Type.String(),
      password: Type.Optional(
        Type.String({
          description:
            'To hand over. Shown only now, and good for the first sign-in. Absent with an external identity provider.',
        }),
      ),
    }),
  },
  { title: 'NewTenant' },
);
export type NewTenant = Static<typeof NewTenant>;
