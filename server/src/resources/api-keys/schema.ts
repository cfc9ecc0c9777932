/** Schemas of API keys. */
import { type Static, Type } from 'typebox';

const timestamp = (description: string) => Type.String({ format: 'date-time', description });

const Access = Type.Enum(['full', 'read'], {
  description:
    '`read`: only what changes nothing, also with tokens that it is exchanged for; 403 `read_only_key` for all else.',
});

const fields = {
  id: Type.Integer(),
  description: Type.String(),
  key_prefix: Type.String({ description: 'The first characters of the key.' }),
  created_at: timestamp('When it was made.'),
  last_used_at: Type.Optional(timestamp('To the minute.')),
  expires_at: Type.Optional(timestamp('When it stops by itself.')),
  access: Access,
};

export const ApiKey = Type.Object(fields, { title: 'ApiKey' });
export type ApiKey = Static<typeof ApiKey>;

export const NewApiKey = Type.Object(
  { ...fields, access_key: Type.String({ description: 'The whole key. Shown this once.' }) },
  { title: 'NewApiKey' },
);
export type NewApiKey = Static<typeof NewApiKey>;

export const ApiKeyRequest = Type.Object(
  {
    description: Type.String({ minLength: 1, maxLength: 500 }),
    expires_at: Type.Optional(timestamp('In the future; without it the key does not expire.')),
    access: Type.Optional({ ...Access, default: 'full' }),
  },
  { additionalProperties: false, title: 'ApiKeyRequest' },
);
export type ApiKeyRequest = Static<typeof ApiKeyRequest>;

export const RotateRequest = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 0,
        description: 'How long the old key still works; at most a week.',
      }),
    ),
  },
  { additionalProperties: false, title: 'RotateApiKeyRequest' },
);

export const TokenRequest = Type.Object(
  { api_key: Type.String({ maxLength: 300 }) },
  { additionalProperties: false, title: 'ApiKeyTokenRequest' },
);
