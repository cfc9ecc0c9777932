/** Why a worker cannot run: a sentence for the operator, and an exit code. */
import { ApiError } from '@cogworks/sdk/errors';

/** For supervisors: after some of these a restart would fail again. `--help` lists them. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  no_containers: 3,
  superseded: 4,
  folder_in_use: 5,
} as const;

export class WorkerProblem extends Error {
  readonly exit_code: number;

  constructor(message: string, reason: keyof typeof exitCodes = 'failed', cause?: unknown) {
    super(message, { cause });
    this.name = 'WorkerProblem';
    this.exit_code = exitCodes[reason];
  }
}

/** Checks that a Cogworks server answers at `baseUrl`. @throws WorkerProblem */
export async function requireServer(baseUrl: string): Promise<void> {
  const response = await fetch(`${baseUrl}/healthz`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
  }).catch((error: unknown) => {
    throw problemOf(error, baseUrl);
  });
  const body = await response.text().catch(() => '');
  const target = response.headers.get('location');
  if (target !== null) {
    throw new WorkerProblem(`${baseUrl} leads to ${target}: use the URL it leads to.`);
  }
  if (response.ok && /"status"\s*:\s*"ok"/.test(body)) return;
  throw new WorkerProblem(
    `${baseUrl} answers, but not as a Cogworks server does (status ${response.status}). The URL is the server's own, without a path such as /app.`,
  );
}

/** Describes a failed call to the server. */
export function problemOf(error: unknown, baseUrl: string): WorkerProblem {
  if (error instanceof WorkerProblem) return error;
  if (error instanceof ApiError) {
    return new WorkerProblem(`${baseUrl} refused: ${error.message}`, 'failed', error);
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new WorkerProblem(
      `${baseUrl} did not answer in time. Does a firewall stand between?`,
      'failed',
      error,
    );
  }
  const code = codeOf(error);
  const words = code === undefined ? undefined : wordsFor(code, new URL(baseUrl));
  if (words === undefined) {
    const why = error instanceof Error ? (error.cause ?? error) : error;
    return new WorkerProblem(`${baseUrl} cannot be reached: ${String(why)}`, 'failed', error);
  }
  return new WorkerProblem(words, 'failed', error);
}

/** The error code of a failed fetch, from the system, the TLS library or the HTTP parser. */
function codeOf(error: unknown): string | undefined {
  const { cause } = (error ?? {}) as { cause?: { code?: unknown; name?: unknown } };
  const { code, name } = cause ?? {};
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : undefined;
}

function wordsFor(code: string, { origin, hostname }: URL): string | undefined {
  if (code === 'ECONNREFUSED') {
    return `${origin} refuses connections. Does the server run, and is this its URL?`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The name ${hostname} is not known here. Is it spelt correctly, and does this machine find names?`;
  }
  if (['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'].includes(code)) {
    return `There is no way to ${origin} from this machine (${code}).`;
  }
  if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${origin} has expired.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `The certificate of ${origin} is for another name.`;
  }
  if (/SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_UNTRUSTED/.test(code)) {
    return `The certificate of ${origin} comes from an authority that is not known here. Name a file with its certificate in NODE_EXTRA_CA_CERTS.`;
  }
  if (code === 'EPROTO' || /^ERR_SSL/.test(code)) {
    return `${origin} does not speak TLS. Does its URL begin with http:// instead?`;
  }
  if (/^HPE_|^HTTPParserError/.test(code) || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') {
    return `${origin} does not speak HTTP. Does its URL begin with https:// instead?`;
  }
  return undefined;
}
