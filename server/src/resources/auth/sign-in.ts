/** Where and how users sign in: at the embedded provider, or at the configured external one. */
import type Provider from 'oidc-provider';
import type { Services } from '../../services.ts';
import { type Devices, makeDevices } from './devices.ts';
import { type ExternalIssuer, openExternalIssuer } from './external.ts';
import { askTokenEndpoint } from './provider/mount.ts';
import { dashboardClient, makeProvider, providerScopes } from './provider/provider.ts';
import { type AskToken, askExternal } from './refresh.ts';
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
  askToken: AskToken;
  /** What a client needs to sign users in. */
  config(): Promise<SignInConfig>;
};

export function openSignIn(services: Services, tokens: Tokens): SignIn {
  let made: Provider | undefined;
  const provider = () => {
    made ??= makeProvider(services, tokens);
    return made;
  };
  const external = services.config.oidc && openExternalIssuer(services.config.oidc);
  return {
    tokens,
    external,
    provider,
    throttle: makeThrottle(),
    devices: makeDevices(services.keys, tokens.issuer),
    askToken: external
      ? askExternal(external)
      : (params) => askTokenEndpoint(provider(), { ...params, client_id: dashboardClient }),
    config: () => (external ? externalConfig(external) : embeddedConfig(tokens.issuer())),
  };
}

const embeddedConfig = async (issuer: string): Promise<SignInConfig> => ({
  issuer,
  client_id: dashboardClient,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  end_session_endpoint: `${issuer}/session/end`,
  scopes: providerScopes,
  is_embedded: true,
});

async function externalConfig({ config, metadata }: ExternalIssuer): Promise<SignInConfig> {
  const known = await metadata();
  const supported = known.scopes_supported;
  return {
    issuer: known.issuer,
    client_id: config.client_id,
    authorization_endpoint: known.authorization_endpoint,
    token_endpoint: known.token_endpoint,
    ...(known.end_session_endpoint ? { end_session_endpoint: known.end_session_endpoint } : {}),
    // Some providers refuse requests with unknown scopes.
    scopes: supported ? providerScopes.filter((scope) => supported.includes(scope)) : ['openid'],
    is_embedded: false,
  };
}
