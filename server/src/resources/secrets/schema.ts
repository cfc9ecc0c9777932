/** Schemas of secrets. None that leaves the server has a value. */
import { type Static, Type } from 'typebox';

export const Secret = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    kind: Type.Enum(['generic', 'registry']),
    server: Type.Optional(
      Type.String({ description: 'Of a registry secret: host, and port if any.' }),
    ),
    version: Type.Integer({ description: 'Counts the values it has had.' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { title: 'Secret' },
);
export type Secret = Static<typeof Secret>;

const RegistryValue = Type.Object(
  {
    server: Type.String({ minLength: 1, maxLength: 253, examples: ['registry.example:5000'] }),
    username: Type.String({ minLength: 1, maxLength: 255 }),
    password: Type.String({ minLength: 1, maxLength: 8192 }),
  },
  { additionalProperties: false, title: 'RegistryCredentials' },
);

/** Text for a generic secret, credentials for a registry one; checked together with the kind. */
const Value = Type.Union([Type.String({ minLength: 1, maxLength: 65_536 }), RegistryValue], {
  description:
    'A string for kind `generic`, credentials for kind `registry`. Never readable again.',
});
export type SecretValue = Static<typeof Value>;
export type RegistryCredentials = Static<typeof RegistryValue>;

export const NewSecret = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }),
    kind: Type.Enum(['generic', 'registry']),
    value: Value,
  },
  { additionalProperties: false, title: 'NewSecret' },
);
export type NewSecret = Static<typeof NewSecret>;

export const SecretChange = Type.Object({ value: Value }, { additionalProperties: false });
