/**
 * Where and how users sign in: always at the embedded provider, whose page offers the external one
 * if there is one.
 */
import type Provider from 'oidc-provider';
import type { Services } from '../../services.ts';
import { type Devices, makeDevices } from './devices.ts';
import { type ExternalIssuer, openExternalIssuer } from './external/issuer.ts';
import { boundRenewals } from './external/renewals.ts';
import { askTokenEndpoint, type TokenAnswer } from './provider/mount.ts';
import { dashboardClient, makeProvider, providerScopes } from './provider/provider.ts';
import { knowsRefreshToken } from './provider/store.ts';
import type { SignInConfig } from './schema.ts';
import { makeThrottle, type Throttle } from './throttle.ts';
import type { Tokens } from './tokens.ts';

export type SignIn = {
  tokens: Tokens;
  /** The external provider, if one is configured. */
  external: ExternalIssuer | undefined;
  /** The embedded provider, created on first use, because its issuer may not be known earlier. */
  provider: () => Provider;
  throttle: Throttle;
  devices: Devices;
  /**
   * Renews a refresh token at the provider that has issued it.
   *
   * @param address of whoever has it.
   * @throws DomainError `too_many_requests` if they have tried too many that nobody has issued.
   */
  refresh(refreshToken: string, address: string): Promise<TokenAnswer>;
  /** What a client needs to sign users in. */
  config(): SignInConfig;
};

export function openSignIn(services: Services, tokens: Tokens): SignIn {
  const { db, config, keys } = services;
  let made: Provider | undefined;
  const provider = () => {
    made ??= makeProvider(services, tokens);
    return made;
  };
  const external = config.oidc && openExternalIssuer(config.oidc, config.outbound_allow);
  const renewElsewhere = external && boundRenewals(external.refresh);
  return {
    tokens,
    external,
    provider,
    throttle: makeThrottle(),
    devices: makeDevices(keys, tokens.issuer),
    refresh: async (refresh_token, address) => {
      // Of clients that sign people in at the external provider themselves.
      if (renewElsewhere && !(await knowsRefreshToken(db, refresh_token)))
        return renewElsewhere(refresh_token, address);
      const grant_type = 'refresh_token';
      const params = { grant_type, refresh_token, client_id: dashboardClient };
      return askTokenEndpoint(provider(), params);
    },
    config: () => {
      const issuer = tokens.issuer();
      return {
        issuer,
        client_id: dashboardClient,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        end_session_endpoint: `${issuer}/session/end`,
        scopes: providerScopes,
        is_embedded: !external,
        ...(config.oidc && { external: { name: config.oidc.name, issuer: config.oidc.issuer } }),
      };
    },
  };
}
