import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import type { Throttle } from '../auth/throttle.ts';
import { User } from '../users/schema.ts';
import { accept, lookUp } from './accepting.ts';
import { invite, listInvitations, revokeInvitation } from './invitations.ts';
import {
  Acceptance,
  Invitation,
  InvitationRequest,
  InvitationToken,
  NewInvitation,
  OpenInvitation,
} from './schema.ts';

const tags = ['Users'];

export const invitationRoutes =
  (services: Services, { throttle }: { throttle: Throttle }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/invitations/',
      {
        schema: {
          operationId: 'listInvitations',
          summary: 'Open invitations into my tenant (tenant admins)',
          tags,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(Invitation) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listInvitations(db, request.caller, page),
          (invitation) => [invitation.id],
        ),
    );

    app.post(
      '/invitations/',
      {
        schema: {
          operationId: 'createInvitation',
          summary: 'Invite somebody into my tenant (tenant admins)',
          description:
            'The link is good for 7 days and one use; hand it over yourself where no mail is sent. A newer invitation of the same address replaces it. An open invitation takes a seat: without one left, 403 `quota_exceeded`.',
          tags,
          body: InvitationRequest,
          response: { 201: NewInvitation },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          invite(tx, services, request.caller, request.body),
        ),
    );

    app.delete(
      '/invitations/:id',
      {
        schema: {
          operationId: 'revokeInvitation',
          summary: 'Take an open invitation back (tenant admins)',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await revokeInvitation(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/invitations/look-up',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'lookUpInvitation',
          summary: 'What an invitation is for, and what accepting it needs',
          description: 'Changes nothing. 410 says how an invitation has ended, by its `code`.',
          tags,
          body: InvitationToken,
          response: { 200: OpenInvitation },
        },
      },
      async (request, reply) => {
        reply.header('cache-control', 'no-store');
        return lookUp(services, request.body.token);
      },
    );

    app.post(
      '/invitations/accept',
      {
        config: { access: 'optional' },
        schema: {
          operationId: 'acceptInvitation',
          summary: 'Become a user of the tenant that invited me',
          description:
            'At the embedded identity provider, with a password of my choice; then I sign in with it. 410 if the invitation has ended; 403 `other_address` if somebody else is signed in, 409 `email_taken` if the address has an account elsewhere, and the invitation stays as it is.',
          tags,
          body: Acceptance,
          response: { 201: User },
        },
      },
      async (request, reply) => {
        const user = await accept({ ...services, throttle }, request.caller, request.body);
        return reply.code(201).send(user);
      },
    );
  };
