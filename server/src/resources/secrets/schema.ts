/** Schemas of secrets. None that leaves the server has a value. */
import { registryCheckOutcomes } from '@cogworks/worker/containers/registry-check';
import { type Static, Type } from 'typebox';

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  kind: Type.Enum(['generic', 'registry']),
  server: Type.Optional(
    Type.String({ description: 'Of a registry secret: host, and port if any.' }),
  ),
  is_managed: Type.Boolean({
    description:
      "The secret for the installation's own registry: workers get credentials made for each pull. It cannot be changed or deleted.",
  }),
  version: Type.Integer({ description: 'Counts the values it has had.' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  last_used_at: Type.Optional(Type.String({ format: 'date-time' })),
};

export const Secret = Type.Object(fields, { title: 'Secret' });
export type Secret = Static<typeof Secret>;

export const SecretUse = Type.Object(
  { workflow_id: Type.Integer(), name: Type.String() },
  { title: 'SecretUse' },
);
export type SecretUse = Static<typeof SecretUse>;

export const SecretWithUse = Type.Object(
  {
    ...fields,
    used_by: Type.Array(SecretUse, {
      description:
        'Workflows with a version that needs it and is published, or run by a trigger that is on; a hundred at most: while there are some, it cannot be deleted.',
    }),
  },
  { title: 'SecretWithUse' },
);
export type SecretWithUse = Static<typeof SecretWithUse>;

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

export const SecretTest = Type.Object(
  {
    outcome: Type.Enum([...registryCheckOutcomes], {
      description:
        '`reached`: it accepts the credentials. `unauthorized`: it refuses them. `unreachable`: no answer, no such host, or one that may not be called from here. `no_tls`, `untrusted_certificate`: nothing was sent. `no_registry`: something else answers.',
    }),
    message: Type.String({ description: 'The same in words.' }),
    version: Type.Integer({ description: 'Which version was tested.' }),
  },
  { title: 'SecretTest' },
);
