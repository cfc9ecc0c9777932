/** What the pages of a sign-in share: its state, which is kept by the provider, and its ends. */
import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { InteractionResults } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { errorPage, pageHeaders } from './pages.ts';
import { providerPath } from './provider.ts';

export type ProviderSource = () => Provider;

export const appUrlOf = ({ issuer }: Provider) => `${issuer.slice(0, -providerPath.length)}/app/`;

/** The path of a sign-in's own pages, which only its browser can use. */
export const pathOf = ({ issuer }: Provider, uid: string) =>
  `${new URL(issuer).pathname}/interaction/${uid}`;

/** Lets the routes take forms, and says what became of a sign-in that is gone. */
export function acceptForms(app: FastifyInstance, provider: ProviderSource): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 16 * 1024 },
    (_request, body, done) => done(null, parse(body as string)),
  );
  app.setErrorHandler(async (error, request, reply) => {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    const appUrl = appUrlOf(provider());
    const { uid } = request.params as { uid: string };
    // The sign-in is done or expired, as after Back: the dashboard shows the session, or starts a
    // new sign-in. Not if it is under way but its cookie is missing: a browser without cookies
    // would be redirected here again and again.
    const isHere = request.headers.cookie?.includes(`=${uid}`);
    if (isHere || !(await provider().Interaction.find(uid))) return reply.redirect(appUrl, 303);
    return sendPage(reply, 400, errorPage('This sign-in belongs to another browser', appUrl));
  });
}

/** @throws errors.SessionNotFound unless the request is of the browser that began this sign-in. */
export async function interactionOf(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const interaction = await provider.interactionDetails(request.raw, reply.raw);
  const { uid } = request.params as { uid: string };
  if (interaction.uid !== uid) throw new errors.SessionNotFound('another sign-in was started');
  return interaction;
}

/** `by`: how they have shown who they are. */
export const signedIn = (accountId: string, by = 'pwd'): InteractionResults => ({
  login: { accountId, amr: [by] },
  consent: {},
});

/** Signs the user in, and sends the browser on. */
export async function finish(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  result: InteractionResults,
) {
  const returnTo = await provider.interactionResult(request.raw, reply.raw, result, {
    mergeWithLastSubmission: true,
  });
  return reply.redirect(returnTo, 303);
}

export const later = {
  message: 'Many people are signing in right now. Please try again in a moment.',
};

export function tooMany(wait_s: number): string {
  const minutes = Math.ceil(wait_s / 60);
  return `Too many attempts. Please try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
}

export function busy(reply: FastifyReply, html: string) {
  reply.header('retry-after', 5);
  return sendPage(reply, 503, html);
}

export function sendPage(reply: FastifyReply, status: number, html: string) {
  return reply.code(status).headers(pageHeaders).type('text/html; charset=utf-8').send(html);
}
