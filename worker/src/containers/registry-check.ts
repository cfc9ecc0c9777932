/** Whether a registry can be reached and takes these credentials: for whoever has stored them. */
import type { RegistryAllow } from './registry-allow.ts';
import {
  CredentialsRefused,
  type RegistryTrouble,
  type Resolve,
  registryCalls,
  troubleOf,
} from './registry-calls.ts';
import type { RegistryAuth } from './types.ts';

export const registryCheckOutcomes = [
  'reached',
  'no_credentials_needed',
  'unauthorized',
  'unreachable',
  'no_tls',
  'untrusted_certificate',
  'no_registry',
] as const;

export type RegistryCheck = {
  outcome: (typeof registryCheckOutcomes)[number];
  /** For people. It quotes nothing that the other side has said. */
  message: string;
};

const checked_ms = 15_000;

/** Asks for the registry's version, which every registry has at `/v2/`. Never rejects. */
export async function checkRegistry(
  registry: string,
  auth: RegistryAuth,
  allow: RegistryAllow,
  resolve?: Resolve,
): Promise<RegistryCheck> {
  const signal = AbortSignal.timeout(checked_ms);
  const calls = registryCalls(registry, auth, allow, signal, resolve && { resolve });
  try {
    const answer = await calls.ask('GET', '');
    answer.destroy();
    return ofStatus(registry, answer.statusCode ?? 0, calls.hasSignedIn());
  } catch (error) {
    if (error instanceof CredentialsRefused) return unauthorized(registry);
    const trouble = signal.aborted ? 'not_in_time' : troubleOf(error);
    return trouble ? ofTrouble(registry, trouble) : noRegistry(registry);
  }
}

function ofStatus(registry: string, status: number, hasSignedIn: boolean): RegistryCheck {
  if (status === 401 || status === 403) return unauthorized(registry);
  if (status !== 200) return noRegistry(registry);
  return hasSignedIn
    ? { outcome: 'reached', message: `${registry} answers and accepts the credentials.` }
    : {
        outcome: 'no_credentials_needed',
        message: `${registry} answers without asking for credentials, so these are not checked.`,
      };
}

const unauthorized = (registry: string): RegistryCheck => ({
  outcome: 'unauthorized',
  message: `${registry} answers, but refuses the user name or the password.`,
});

const noRegistry = (registry: string): RegistryCheck => ({
  outcome: 'no_registry',
  message: `${registry} answers, but not as a registry does.`,
});

/** One text for a name without an address and one of an inner network, which it does not tell of. */
const noAddress =
  'has no public address. The operator can allow an internal one by REGISTRY_ALLOW.';

const troubles: Record<RegistryTrouble, [RegistryCheck['outcome'], string]> = {
  refused_address: ['unreachable', noAddress],
  no_such_host: ['unreachable', noAddress],
  no_answer: ['unreachable', 'refuses or closes the connection.'],
  not_in_time: ['unreachable', 'does not answer in time.'],
  no_tls: [
    'no_tls',
    'does not speak TLS, and a registry without it would get the password in clear.',
  ],
  untrusted_certificate: ['untrusted_certificate', 'shows a certificate that is not trusted here.'],
};

function ofTrouble(registry: string, trouble: RegistryTrouble): RegistryCheck {
  const [outcome, words] = troubles[trouble];
  return { outcome, message: `${registry} ${words}` };
}
