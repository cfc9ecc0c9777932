/** Schemas of sign-in. */
import { type Static, Type } from 'typebox';

export const SignInConfig = Type.Object(
  {
    issuer: Type.String(),
    client_id: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    end_session_endpoint: Type.Optional(Type.String()),
    scopes: Type.Array(Type.String(), { description: 'To be asked for, as far as known.' }),
    is_embedded: Type.Boolean({
      description: 'Whether everybody signs in with a password that is kept here.',
    }),
    external: Type.Optional(
      Type.Object(
        { name: Type.String(), issuer: Type.String() },
        { description: 'An external provider, which the sign-in page offers.' },
      ),
    ),
  },
  { title: 'SignInConfig' },
);
export type SignInConfig = Static<typeof SignInConfig>;

export const AccessToken = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    scope: Type.String(),
  },
  { title: 'AccessToken' },
);
export type AccessToken = Static<typeof AccessToken>;

export const RefreshedToken = Type.Object(
  { ...AccessToken.properties, refresh_token: Type.String({ description: 'Good for one use.' }) },
  { title: 'RefreshedToken' },
);
export type RefreshedToken = Static<typeof RefreshedToken>;

export const RefreshRequest = Type.Object(
  { refresh_token: Type.String({ minLength: 1, maxLength: 10_000 }) },
  { additionalProperties: false, title: 'RefreshRequest' },
);

export const PasswordChange = Type.Object(
  {
    current_password: Type.String({ minLength: 1, maxLength: 320 }),
    new_password: Type.String({ minLength: 8, maxLength: 200 }),
  },
  { additionalProperties: false, title: 'PasswordChange' },
);
export type PasswordChange = Static<typeof PasswordChange>;
