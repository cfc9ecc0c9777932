/** Schemas of a tenant's users, as other members see them. */
import { type Static, Type } from 'typebox';

const role = Type.Enum(['admin', 'member']);
const status = Type.Enum(['active', 'disabled']);

export const User = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    role,
    status,
    removed_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'They were removed; `email` is not theirs any more.',
      }),
    ),
    last_active_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'In lists for admins, as far as known: the last sign-in, renewal of a session or use of an API key.',
      }),
    ),
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const UserChanges = Type.Object(
  {
    role: Type.Optional(role),
    status: Type.Optional(status),
    successor_id: Type.Optional(
      Type.Integer({
        description:
          'Of a disabled user: who takes over what they own. Workflows and triggers follow at once, files and folders within minutes.',
      }),
    ),
  },
  { additionalProperties: false, title: 'UserChanges' },
);
export type UserChanges = Static<typeof UserChanges>;

const Count = Type.Integer({ description: 'At most 10,000 are counted.' });
const Affected = Type.Object(
  {
    count: Count,
    first: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }), {
      description: 'At most 10.',
    }),
  },
  { title: 'Affected' },
);

export const DisablePreview = Type.Object(
  {
    api_keys: Affected,
    sessions: Type.Object({ count: Count }),
    triggers: { ...Affected, description: 'That are on, and run as the user.' },
    notices: { ...Affected, description: 'That are on, and made by the user.' },
    runs: { ...Affected, description: 'Under way; they go on.' },
    invitations: { ...Affected, description: 'Open ones.' },
    workflows: { ...Affected, description: 'Made by the user; they stay.' },
    cogs: { ...Affected, description: 'Files and folders owned by the user; they stay.' },
  },
  { title: 'DisablePreview' },
);
export type DisablePreview = Static<typeof DisablePreview>;
