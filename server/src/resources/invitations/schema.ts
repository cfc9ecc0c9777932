/** Schemas of invitations. */
import { type Static, Type } from 'typebox';

const role = Type.Enum(['admin', 'member']);
const Time = Type.String({ format: 'date-time' });
const Token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'What follows `#` in the link.',
});

export const InvitationRequest = Type.Object(
  { email: Type.String({ format: 'email', maxLength: 320 }), role },
  { additionalProperties: false, title: 'InvitationRequest' },
);
export type InvitationRequest = Static<typeof InvitationRequest>;

export const Invitation = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    role,
    invited_by: Type.Integer(),
    created_at: Time,
    expires_at: Time,
  },
  { title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

export const NewInvitation = Type.Object(
  {
    ...Invitation.properties,
    link: Type.String({
      description: 'To hand over to whoever is invited. Shown only now, and good for one use.',
    }),
    is_mailed: Type.Boolean({
      description:
        'Whether it is sent by mail as well: at most five times a day to one address, a thousand in all, and not without a mail server.',
    }),
  },
  { title: 'NewInvitation' },
);
export type NewInvitation = Static<typeof NewInvitation>;

export const InvitationToken = Type.Object(
  { token: Token },
  { additionalProperties: false, title: 'InvitationToken' },
);

export const OpenInvitation = Type.Object(
  {
    id: Type.Integer({
      description:
        'As the parameter `invitation` of an authorization request: this one is asked about first.',
    }),
    organization: Type.String(),
    email: Type.String(),
    role,
    expires_at: Time,
    needs: Type.Enum(['password', 'sign_in'], {
      description:
        '`password`: accept it with a password of your choice. `sign_in`: sign in with this address, at the identity provider; the first sign-in asks whether to join.',
    }),
  },
  { title: 'OpenInvitation' },
);
export type OpenInvitation = Static<typeof OpenInvitation>;

export const Acceptance = Type.Object(
  {
    token: Token,
    first_name: Type.Optional(Type.String({ maxLength: 100 })),
    last_name: Type.Optional(Type.String({ maxLength: 100 })),
    password: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false, title: 'Acceptance' },
);
export type Acceptance = Static<typeof Acceptance>;

/** An open invitation, as the page of a sign-in asks about it. */
export type InvitationTo = Pick<Invitation, 'id' | 'role'> & {
  tenant_id: number;
  organization: string;
  /** Who invites, in words. */
  by: string;
};
