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
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const UserChanges = Type.Object(
  { role: Type.Optional(role), status: Type.Optional(status) },
  { additionalProperties: false, title: 'UserChanges' },
);
export type UserChanges = Static<typeof UserChanges>;
