/** The schema of the caller's own profile. */
import { type Static, Type } from 'typebox';

export const Me = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    tenant_id: Type.Integer(),
    role: Type.Enum(['admin', 'member']),
    is_platform_admin: Type.Boolean(),
    onboarding_complete: Type.Boolean(),
    sign_in: Type.Enum(['password', 'external'], {
      description: 'Whether I have a password here, or sign in at the external provider.',
    }),
    gets_mail: Type.Boolean({
      description: 'Whether the installation can send mails, for example of notices.',
    }),
  },
  { title: 'Me' },
);
export type Me = Static<typeof Me>;

export const MeChanges = Type.Object(
  {
    first_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    last_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  },
  { additionalProperties: false },
);
export type MeChanges = Static<typeof MeChanges>;
