/** Routes of the embedded provider: the protocol under /realms/cogworks, and our pages in it. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { InteractionResults } from 'oidc-provider';
import { Type } from 'typebox';
import { notFound } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { accountIdOf, findUser } from '../../users/users.ts';
import { hasPasswords } from '../queries.ts';
import type { SignIn } from '../sign-in.ts';
import {
  acceptForms,
  busy,
  finish,
  interactionOf,
  later,
  type ProviderSource,
  pathOf,
  sendPage,
  signedIn,
  tooMany,
} from './interactions.ts';
import { enterProvider } from './mount.ts';
import { newPasswordPage, pageHeaders, signInPage } from './pages.ts';
import { providerPath } from './provider.ts';
import { choosePassword, signIn } from './sign-in.ts';

const config = { access: 'public' } as const;

/** The protocol: every path below the issuer that is not one of our pages. */
export const providerRoutes =
  ({ db }: Services, provider: ProviderSource): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${providerPath}/userinfo`,
      {
        schema: { hide: true, response: { 200: Type.Object({}, { additionalProperties: true }) } },
      },
      async ({ caller }) => {
        const user = await findUser(db, caller.tenant_id, caller.user_id);
        if (!user) throw notFound('User');
        const { email, first_name: given_name, last_name: family_name } = user;
        return { sub: accountIdOf(user), email, given_name, family_name };
      },
    );

    await app.register(async (raw) => {
      // The provider reads bodies itself; after a parser of ours the stream would be empty.
      raw.removeAllContentTypeParsers();
      raw.addContentTypeParser('*', (_request, _payload, done) => done(null));
      raw.all(`${providerPath}/*`, { config, schema: { hide: true } }, async (request, reply) => {
        enterProvider(provider(), request.raw, request.ip);
        takeOver(reply);
        for (const [name, value] of Object.entries(pageHeaders)) reply.raw.setHeader(name, value);
        await provider().callback()(request.raw, reply.raw);
      });
    });
  };

/** The pages users see while signing in. */
export const signInRoutes =
  (
    { db, metrics }: Services,
    provider: ProviderSource,
    { throttle, devices, external }: Pick<SignIn, 'throttle' | 'devices' | 'external'>,
  ): FastifyPluginAsyncTypebox =>
  async (app) => {
    const url = `${providerPath}/interaction/:uid`;
    acceptForms(app, provider);

    const page = async (request: FastifyRequest, given: { email: string; message?: string }) => {
      if (!external) return signInPage(given);
      const { uid } = request.params as { uid: string };
      const elsewhere = { name: external.config.name, url: `${pathOf(provider(), uid)}/external` };
      return signInPage({ ...given, elsewhere, has_form: await hasPasswords(db) });
    };

    app.get(url, { config, schema: { hide: true } }, async (request, reply) => {
      enterProvider(provider(), request.raw);
      const { prompt, params, result } = await interactionOf(provider(), request, reply);
      if (prompt.name === 'consent') return finish(provider(), request, reply, { consent: {} });
      const pending = pendingOf(result);
      if (pending) return sendPage(reply, 200, newPasswordPage(pending));
      const email = typeof params.login_hint === 'string' ? params.login_hint : '';
      return sendPage(reply, 200, await page(request, { email }));
    });

    app.post(url, { config, schema: { hide: true } }, async (request, reply) => {
      enterProvider(provider(), request.raw);
      const interaction = await interactionOf(provider(), request, reply);
      const form = (request.body ?? {}) as Record<string, unknown>;
      const text = (name: string) => (typeof form[name] === 'string' ? form[name] : '');

      const pending = pendingOf(interaction.result);
      if (pending) {
        const chosen = { password: text('new_password'), repeated: text('repeated_password') };
        // The user has already shown the right one-time password.
        const known = { device: pending.subject };
        const message = await throttle.inTurn(
          known,
          async () => (await choosePassword(db, pending.subject, chosen)) ?? '',
        );
        if (message === undefined) return busy(reply, newPasswordPage({ ...pending, ...later }));
        if (message) return sendPage(reply, 422, newPasswordPage({ ...pending, message }));
        reply.header('set-cookie', devices.remember(request.headers.cookie, pending.email));
        return finish(provider(), request, reply, signedIn(pending.subject));
      }

      const email = text('email');
      const password = text('password');
      const { cookie } = request.headers;
      const device = devices.recognise(cookie, email);
      const from = { address: request.ip, device };
      const attempt = await signIn(db, throttle, { email, password }, from);
      metrics.signIns.inc({ outcome: attempt.outcome });
      if (attempt.outcome === 'signed_in') {
        reply.header('set-cookie', devices.remember(cookie, attempt.email));
        return finish(provider(), request, reply, signedIn(attempt.subject));
      }
      if (attempt.outcome === 'must_change') {
        const { subject } = attempt;
        await keepPending(provider(), request, reply, { subject, email: attempt.email });
        return sendPage(reply, 200, newPasswordPage({ action: '', email: attempt.email }));
      }
      if (attempt.outcome === 'throttled') {
        reply.header('retry-after', attempt.wait_s);
        const message = tooMany(attempt.wait_s);
        return sendPage(reply, 429, await page(request, { email, message }));
      }
      if (attempt.outcome === 'busy') {
        return busy(reply, await page(request, { email, ...later }));
      }
      const message = 'The e-mail address or the password is wrong.';
      return sendPage(reply, 401, await page(request, { email, message }));
    });
  };

/** The provider answers from here on; headers set by our hooks are dropped. */
function takeOver(reply: FastifyReply) {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}

type Pending = { subject: string; email: string };

/** The sign-in of a user who has shown a one-time password and must choose a new one. */
function pendingOf(result: InteractionResults | undefined) {
  const pending = result?.must_change as Pending | undefined;
  return pending && { action: '', ...pending };
}

async function keepPending(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  must_change: Pending,
) {
  await provider.interactionResult(request.raw, reply.raw, { must_change });
}
