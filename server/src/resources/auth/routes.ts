import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { DomainError, forbidden } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { sessionOf } from '../me/sessions/sessions.ts';
import { changePassword } from './passwords.ts';
import { refreshToken } from './refresh.ts';
import { PasswordChange, RefreshedToken, RefreshRequest, SignInConfig } from './schema.ts';
import type { SignIn } from './sign-in.ts';

const tags = ['Sign-in'];
const config = { access: 'public' } as const;

export const authRoutes =
  ({ db }: Services, { refresh, throttle, ...signIn }: SignIn): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/auth/config',
      {
        config,
        schema: {
          operationId: 'getSignInConfig',
          summary: 'Where and how to sign people in',
          tags,
          response: { 200: SignInConfig },
        },
      },
      async () => signIn.config(),
    );

    app.post(
      '/auth/refresh-token',
      {
        config,
        schema: {
          operationId: 'refreshToken',
          summary: 'Exchange a refresh token for a new access token and a new refresh token',
          description:
            'A refresh token is good for one use. Using it a second time ends its whole family, because one of the two users must have stolen it.',
          tags,
          body: RefreshRequest,
          response: { 200: RefreshedToken },
        },
      },
      async (request, reply) => {
        const answer = await refreshToken(refresh, request.body.refresh_token, request.ip);
        reply.header('cache-control', 'no-store');
        return answer;
      },
    );

    app.post(
      '/auth/change-password',
      {
        schema: {
          operationId: 'changePassword',
          summary: 'Change my password',
          description: 'Ends all other sessions of mine and their refresh tokens.',
          tags,
          body: PasswordChange,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { caller, body, ip } = request;
        if (caller.key_id !== undefined) {
          throw forbidden('An API key cannot change a password; sign in.');
        }
        const session = sessionOf(caller, request.headers.authorization);
        // A session counts as a device: a thief with a stolen token uses up that budget only.
        const account = `user ${caller.user_id}`;
        const guess = { account, address: ip, device: session ?? 'no session' };
        const wait_s = await throttle.guess(guess);
        if (wait_s > 0) {
          reply.header('retry-after', wait_s);
          throw new DomainError(
            'too_many_requests',
            `Too many attempts. Try again in ${wait_s} s.`,
          );
        }
        const isDone = await throttle.inTurn(guess, async () => {
          await changePassword(db, caller, body, session);
          return true;
        });
        if (!isDone) {
          await throttle.takeBack(guess);
          throw tooBusy();
        }
        await throttle.forgive(guess);
        return reply.code(204).send(null);
      },
    );
  };

const tooBusy = () =>
  new DomainError('unavailable', 'Many people are signing in right now. Try again in a moment.');
