/**
 * The embedded OpenID provider: oidc-provider implements the protocol; who may sign in and the
 * contents of tokens are defined here. For the pages see pages.ts, for the password check
 * sign-in.ts, for signing in at an external provider ../external/.
 */
import type { EventEmitter } from 'node:events';
import Provider, {
  type Account,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import type { Db } from '../../../db/connection.ts';
import { notFound } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { type Issued, noteTokens } from '../../me/sessions/noting.ts';
import { findUserByAccount, isExternalAccount } from '../../users/users.ts';
import { accessTokenSeconds, audience, type Tokens } from '../tokens.ts';
import { allowScript, errorPage, signedOutPage, signOutPage } from './pages.ts';
import { endSession, hashOf, stateStore } from './store.ts';

export const providerPath = '/realms/cogworks';
/** Tells the provider a client's address; whatever the client sends in it is replaced. */
export const addressHeader = 'x-cogworks-address';
export const dashboardClient = 'dashboard';
export const providerScopes = ['openid', 'profile', 'email', 'offline_access', 'api'];

/** The resource of access tokens; clients need not name it. */
const apiResource = 'urn:cogworks:api';
const day = 86_400;
/** How long a refresh token and its successors live together, however active the dashboard is. */
const refreshSeconds = 30 * day;
/**
 * Time until the next sign-in at the external provider, which does not tell us when an account is
 * closed there.
 */
const externalSeconds = day;

/**
 * What is left of that time, counted from the sign-in: each use prolongs a session, which would never
 * end for somebody who comes every day.
 */
function leftOfExternal(signedInAt_s: number | undefined): number {
  const now_s = Math.floor(Date.now() / 1000);
  // The provider wants at least a second.
  return Math.max(1, (signedInAt_s ?? now_s) + externalSeconds - now_s);
}

/** Creates the provider. Its issuer is the public URL, so call it once that is known. */
export function makeProvider(services: Services, tokens: Tokens): Provider {
  const { db, log } = services;
  const provider = new Provider(tokens.issuer(), configurationOf(services, tokens));
  // The public URL determines https and therefore secure cookies, see `enterProvider`.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'sign-in failed'));
  const koa: EventEmitter = provider;
  koa.on('error', (error: unknown) => log.error({ err: error }, 'sign-in failed'));
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.status === 404 && !ctx.body) {
      ctx.status = 404;
      ctx.body = { detail: notFound('Path').message };
    }
    const { oidc } = ctx as KoaContextWithOIDC;
    // For the provider, grants with offline access survive a sign-out. Here signing out ends
    // everything started from this browser.
    const session = oidc?.session as { uid: string; destroyed?: boolean } | undefined;
    if (oidc?.route === 'end_session_confirm' && session?.destroyed) {
      await endSession(db, session.uid);
    }
    const issued =
      oidc?.route === 'token' && ctx.status === 200
        ? issuedBy(ctx as KoaContextWithOIDC)
        : undefined;
    // A list that lacks a line is no reason to refuse a token.
    await (issued && noteTokens(db, issued))?.catch((err: unknown) =>
      log.error({ err }, 'a session could not be noted'),
    );
  });
  return provider;
}

/** Where the tokens of an answer go. */
function issuedBy(ctx: KoaContextWithOIDC): Issued | undefined {
  const { account, entities, params } = ctx.oidc;
  const session_uid = (entities.AccessToken as { sessionUid?: string } | undefined)?.sessionUid;
  const user_id = (account as { user_id?: number } | undefined)?.user_id;
  if (session_uid === undefined || user_id === undefined) return undefined;
  const is_renewal = params?.grant_type === 'refresh_token';
  const from = { user_agent: ctx.get('user-agent'), address: ctx.get(addressHeader) };
  return { user_id, session_uid, is_renewal, ...from };
}

function configurationOf(services: Services, tokens: Tokens): Configuration {
  const { db, keys, baseUrl } = services;
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  const path = new URL(tokens.issuer()).pathname;

  return {
    adapter: stateStore(services),
    jwks: { keys: tokens.privateJwks },
    clients: [dashboard(baseUrl())],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    scopes: providerScopes,
    claims: {
      openid: ['sub'],
      profile: ['name', 'given_name', 'family_name'],
      email: ['email'],
    },
    subjectTypes: ['public'],
    // The id of the invitation whose link somebody has opened.
    extraParams: ['invitation'],
    // Browsers send an Origin with every POST, even to the same origin. Other origins are refused.
    clientBasedCORS: (_ctx, origin) => origin === new URL(baseUrl()).origin,
    pkce: { required: () => true },
    cookies: {
      keys: [keys.derive('sign-in-cookies').toString('base64url')],
      names: {
        session: 'cogworks_session',
        interaction: 'cogworks_sign_in',
        resume: 'cogworks_resume',
      },
      long: { ...cookie, path },
      short: cookie,
    },
    routes: { userinfo: '/userinfo' },
    discovery: { userinfo_endpoint: `${tokens.issuer()}/userinfo` } as Configuration['discovery'] &
      object,
    findAccount: (_ctx, subject) => findAccount(db, subject),
    extraTokenClaims: (ctx, token) => ({
      uid: ctx.oidc.account?.user_id,
      // What the token depends on; see authenticate.ts. The authorization's id only as a hash, as
      // in the database, because it is confidential.
      sid: 'sessionUid' in token ? token.sessionUid : undefined,
      gid:
        'grantId' in token && token.grantId
          ? hashOf(token.grantId).toString('base64url')
          : undefined,
    }),
    loadExistingGrant: grantEverything,
    interactions: { policy: signInPolicy(), url: (_ctx, { uid }) => `${path}/interaction/${uid}` },
    rotateRefreshToken: true,
    ttl: lifetimes,
    features: featuresOf(),
    renderError: (ctx, out, error) => {
      // The form was sent twice, and the first submission has signed in.
      const { oidc } = ctx as Partial<KoaContextWithOIDC>;
      if (error instanceof errors.SessionNotFound && oidc?.route === 'resume') {
        ctx.status = 303;
        return ctx.redirect(appUrl(ctx));
      }
      ctx.type = 'html';
      ctx.body = errorPage(out.error_description ?? out.error, appUrl(ctx));
    },
  };
}

function dashboard(baseUrl: string) {
  return {
    client_id: dashboardClient,
    client_name: 'Cogworks',
    token_endpoint_auth_method: 'none' as const,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    redirect_uris: [`${baseUrl}/app/callback`],
    post_logout_redirect_uris: [`${baseUrl}/app/`],
  };
}

const lifetimes: Configuration['ttl'] & object = {
  AccessToken: accessTokenSeconds,
  AuthorizationCode: 60,
  IdToken: 3600,
  Interaction: 3600,
  Session: (_ctx, { accountId = '', loginTs }) =>
    isExternalAccount(accountId) ? leftOfExternal(loginTs) : 14 * day,
  Grant: refreshSeconds + day,
  // A rotated token inherits the remaining time, so that a stolen one cannot be extended for ever.
  RefreshToken: (ctx, { accountId = '', authTime }) =>
    ctx?.oidc.entities.RotatedRefreshToken?.remainingTTL ??
    (isExternalAccount(accountId) ? leftOfExternal(authTime) : refreshSeconds),
};

const featuresOf = (): Configuration['features'] => ({
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  // We have our own route: the provider's refuses tokens for the API.
  userinfo: { enabled: false },
  revocation: { enabled: true },
  resourceIndicators: {
    enabled: true,
    defaultResource: (_ctx, _client, oneOf) => (oneOf ? (oneOf[0] as string) : apiResource),
    useGrantedResource: () => true,
    getResourceServerInfo: () => ({
      scope: 'api',
      audience,
      accessTokenFormat: 'jwt',
      accessTokenTTL: accessTokenSeconds,
      jwt: { sign: { alg: 'ES256' } },
    }),
  },
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: (ctx, form) => {
      const { payload } = ctx.oidc.entities.IdTokenHint ?? {};
      // The dashboard's id token shows who is signing out, so no confirmation is needed.
      const isCertain = payload !== undefined && payload.sub === ctx.oidc.session?.accountId;
      if (isCertain) allowScript(ctx);
      ctx.body = signOutPage(form, isCertain);
    },
    postLogoutSuccessSource: (ctx) => {
      ctx.body = signedOutPage(appUrl(ctx));
    },
  },
});

const appUrl = (ctx: KoaContextWithOIDC) =>
  `${ctx.oidc.provider.issuer.slice(0, -providerPath.length)}/app/`;

/** The provider's own policy, and users who were disabled or removed must sign in again. */
function signInPolicy() {
  const policy = interactionPolicy.base();
  policy
    .get('login')
    ?.checks.add(
      new interactionPolicy.Check(
        'account_gone',
        'the account cannot sign in',
        (ctx) => ctx.oidc.session?.accountId !== undefined && ctx.oidc.account === undefined,
      ),
    );
  return policy;
}

async function findAccount(
  db: Db,
  subject: string,
): Promise<(Account & { user_id: number }) | undefined> {
  const user = await findUserByAccount(db, subject);
  if (user?.status !== 'active') return undefined;
  return {
    accountId: subject,
    user_id: user.id,
    claims: () => ({
      sub: subject,
      email: user.email,
      name: `${user.first_name} ${user.last_name}`.trim() || user.email,
      ...(user.first_name ? { given_name: user.first_name } : {}),
      ...(user.last_name ? { family_name: user.last_name } : {}),
    }),
  };
}

/**
 * First-party clients need no consent. Every authorization gets its own grant, and with it its own
 * family of refresh tokens: a theft detected in one does not end the others.
 */
async function grantEverything(ctx: KoaContextWithOIDC) {
  const { provider, account, client } = ctx.oidc;
  if (!account || !client) return undefined;
  const grant = new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  grant.addOIDCScope(providerScopes.join(' '));
  grant.addResourceScope(apiResource, 'api');
  await grant.save();
  return grant;
}
