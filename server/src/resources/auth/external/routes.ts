/**
 * Signing in at the external provider, as a part of a sign-in at the embedded one: the browser goes
 * there and comes back with a code, which this server redeems. Everything else, such as sessions and
 * tokens, is the same as after a password.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import { invitationsTo } from '../../invitations/joining.ts';
import { accountIdOf, type UserRow } from '../../users/users.ts';
import {
  acceptForms,
  appUrlOf,
  busy,
  finish,
  interactionOf,
  later,
  type ProviderSource,
  pathOf,
  sendPage,
  signedIn,
  tooMany,
} from '../provider/interactions.ts';
import { enterProvider } from '../provider/mount.ts';
import { errorPage, invitedPage, linkPage } from '../provider/pages.ts';
import { providerPath } from '../provider/provider.ts';
import { signIn } from '../provider/sign-in.ts';
import type { SignIn } from '../sign-in.ts';
import { accountOf, type Candidate, type Found, link, newcomer } from './accounts.ts';
import { type Attempt, type ExternalIssuer, SignInRefused, type Wanted } from './issuer.ts';

const config = { access: 'public' } as const;
const hidden = { config, schema: { hide: true } } as const;
/** The one address that the provider has to know. */
const callbackPath = `${providerPath}/external/callback`;

export const externalRoutes =
  (
    services: Services,
    provider: ProviderSource,
    external: ExternalIssuer,
    { throttle, devices }: Pick<SignIn, 'throttle' | 'devices'>,
  ): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, metrics, log, baseUrl } = services;
    const page = `${providerPath}/interaction/:uid`;
    const { name, issuer } = external.config;
    acceptForms(app, provider);

    /** Goes to the provider, or redeems what it has answered. */
    app.get(`${page}/external`, hidden, async (request, reply) => {
      const { search, searchParams } = new URL(request.url, baseUrl());
      enterProvider(provider(), request.raw);
      const { uid, params, result } = await interactionOf(provider(), request, reply);
      const redirectUri = `${baseUrl()}${callbackPath}`;
      try {
        if (!searchParams.has('state')) {
          const { url, attempt } = await external.begin(uid, redirectUri, wantedOf(params));
          await keep(request, reply, { attempt });
          return await reply.redirect(url, 303);
        }
        const { attempt } = pendingOf(result);
        if (!attempt) throw new SignInRefused('This sign-in is over already.');
        await keep(request, reply, {});
        const identity = await external.finish(new URL(`${redirectUri}${search}`), attempt);
        return await goOn(request, reply, await accountOf(services, identity));
      } catch (error) {
        return refuse(request, reply, error);
      }
    });

    app.get(callbackPath, hidden, (request, reply) => {
      const { search, searchParams } = new URL(request.url, baseUrl());
      const uid = /^([\w-]{1,64})\./.exec(searchParams.get('state') ?? '')?.[1];
      if (uid === undefined) {
        return sendPage(reply, 400, errorPage('This is no sign-in', appUrlOf(provider())));
      }
      // Where the browser sends the cookie of the sign-in.
      return reply.redirect(`${pathOf(provider(), uid)}/external${search}`, 303);
    });

    app.get(`${page}/link`, hidden, async (request, reply) => {
      enterProvider(provider(), request.raw);
      const { uid, result } = await interactionOf(provider(), request, reply);
      const { candidate } = pendingOf(result);
      if (!candidate?.email) return reply.redirect(pathOf(provider(), uid), 303);
      return sendPage(reply, 200, linkPage({ email: candidate.email, name }));
    });

    app.post(`${page}/link`, hidden, async (request, reply) => {
      enterProvider(provider(), request.raw);
      const { uid, result } = await interactionOf(provider(), request, reply);
      const { candidate } = pendingOf(result);
      if (!candidate?.email) return reply.redirect(pathOf(provider(), uid), 303);
      const { password = '', separate } = (request.body ?? {}) as Record<string, unknown>;
      try {
        if (separate === 'yes')
          return await goOn(request, reply, await newcomer(services, candidate));
        const { email } = candidate;
        const device = devices.recognise(request.headers.cookie, email);
        const from = { address: request.ip, device };
        const shown = { email, password: typeof password === 'string' ? password : '' };
        const attempt = await signIn(db, throttle, shown, from);
        if (attempt.outcome === 'signed_in' || attempt.outcome === 'must_change') {
          return await enter(
            request,
            reply,
            await link(services, { ...candidate, email }, attempt),
          );
        }
        metrics.signIns.inc({ outcome: attempt.outcome });
        if (attempt.outcome === 'busy') return busy(reply, linkPage({ email, name, ...later }));
        if (attempt.outcome === 'throttled') {
          reply.header('retry-after', attempt.wait_s);
          return sendPage(reply, 429, linkPage({ email, name, message: tooMany(attempt.wait_s) }));
        }
        return sendPage(reply, 401, linkPage({ email, name, message: 'The password is wrong.' }));
      } catch (error) {
        return refuse(request, reply, error);
      }
    });

    app.get(`${page}/invitation`, hidden, async (request, reply) => {
      enterProvider(provider(), request.raw);
      const { uid, params, result } = await interactionOf(provider(), request, reply);
      const invited = await invitedOf(pendingOf(result), params);
      if (!invited) return reply.redirect(pathOf(provider(), uid), 303);
      return sendPage(reply, 200, invitedPage({ invited }));
    });

    app.post(`${page}/invitation`, hidden, async (request, reply) => {
      enterProvider(provider(), request.raw);
      const { uid, params, result } = await interactionOf(provider(), request, reply);
      const { candidate } = pendingOf(result);
      if (!candidate) return reply.redirect(pathOf(provider(), uid), 303);
      const { choice } = (request.body ?? {}) as Record<string, unknown>;
      const chosen = choice === 'own' ? choice : { invitation_id: idIn(choice) ?? 0 };
      try {
        const found = await newcomer(services, candidate, chosen);
        if ('user' in found) return await enter(request, reply, found.user);
        const message = 'This invitation was taken back or has expired meanwhile.';
        const invited = (await invitedOf({ candidate }, params)) ?? [];
        return sendPage(reply, 410, invitedPage({ invited, message }));
      } catch (error) {
        return refuse(request, reply, error);
      }
    });

    /** @returns undefined for somebody who is not asked. */
    async function invitedOf({ candidate }: Pending, params: Record<string, unknown>) {
      const { email, email_verified } = candidate?.profile ?? {};
      return email && email_verified
        ? invitationsTo(db, email, idIn(params.invitation))
        : undefined;
    }

    async function goOn(request: FastifyRequest, reply: FastifyReply, found: Found) {
      if ('user' in found) return enter(request, reply, found.user);
      const { uid } = request.params as { uid: string };
      await keep(request, reply, { candidate: found.candidate });
      return reply.redirect(`${pathOf(provider(), uid)}/${found.ask}`, 303);
    }

    async function enter(request: FastifyRequest, reply: FastifyReply, user: UserRow) {
      const { id, tenant_id } = user;
      await recordEvent(
        db,
        { tenant_id, user_id: id },
        {
          action: 'user.signed_in',
          target_type: 'user',
          target_id: id,
          details: { address: request.ip, issuer },
        },
      );
      metrics.signIns.inc({ outcome: 'signed_in' });
      return finish(provider(), request, reply, signedIn(accountIdOf(user), 'ext'));
    }

    /** Kept with the sign-in under way, sealed, and only for its browser. */
    const keep = (request: FastifyRequest, reply: FastifyReply, external: Pending) =>
      provider().interactionResult(request.raw, reply.raw, { external });

    function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown) {
      const { uid } = request.params as { uid: string };
      const again = pathOf(provider(), uid);
      if (error instanceof SignInRefused) {
        metrics.signIns.inc({ outcome: 'refused' });
        const { error: code, error_description } = (error.cause ?? {}) as Record<string, unknown>;
        const told = { err: error, provider_error: code, error_description };
        log.warn(told, 'a sign-in at the external provider was refused');
        return sendPage(reply, 403, errorPage(error.message, again, ''));
      }
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'known_elsewhere') {
        metrics.signIns.inc({ outcome: 'refused' });
        return sendPage(reply, 409, errorPage(error.message, again, ''));
      }
      if (error.problem !== 'unavailable') throw error;
      metrics.signIns.inc({ outcome: 'provider_away' });
      log.warn({ err: error.cause ?? error }, 'the external provider does not answer');
      return busy(reply, errorPage(`${name} does not answer. Try again in a moment`, again, ''));
    }
  };

/** What an authorization request asks of the provider as well. */
function wantedOf({ login_hint, prompt, max_age }: Record<string, unknown>): Wanted {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    email: text(login_hint),
    anew: text(prompt).split(' ').includes('login'),
    ...(max_age === undefined ? {} : { max_age_s: Number(max_age) }),
  };
}

const idIn = (text: unknown) =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

type Pending = { attempt?: Attempt; candidate?: Candidate };

const pendingOf = (result: Record<string, unknown> | undefined): Pending =>
  (result?.external ?? {}) as Pending;
