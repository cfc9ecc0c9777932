/** Error messages for the user who typed the command. */
import { ApiError } from '@cogworks/sdk/errors';
import type { Cli } from './command.ts';
import { Problem } from './problem.ts';
import { howToGetAKey } from './settings.ts';

/** Ctrl-C: not a failure, so nothing is printed. */
export class Interrupted extends Error {}

/**
 * Reports that one file of several failed, so that the others continue.
 *
 * @throws the error itself if the others would fail as well.
 */
export function tellFault({ screen, signal, baseUrl }: Cli, error: unknown): void {
  signal.throwIfAborted();
  const isAboutOne = error instanceof Problem || (error instanceof ApiError && error.status < 500);
  if (!isAboutOne || (error instanceof ApiError && error.status === 401)) throw error;
  screen.note(`  ${inWords(error, baseUrl)}`);
}

export function inWords(error: unknown, baseUrl: string): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof ApiError) {
    if (error.status === 401) {
      return `The server at ${baseUrl} does not accept the key in COGWORKS_API_KEY. ${howToGetAKey(baseUrl)}`;
    }
    const id = error.error_id ? ` (error ${error.error_id})` : '';
    return `The server refused (${error.status}): ${error.detail}${id}`;
  }
  if (error instanceof SyntaxError) return `What answers at ${baseUrl} is not Cogworks.`;
  const { code, cause } = (error ?? {}) as { code?: string; cause?: { code?: string } };
  if (error instanceof TypeError && cause) return networkWords(baseUrl, cause);
  // For example a full disk, or a folder that is not writable.
  if (error instanceof Error && code !== undefined && /^E[A-Z]+$/.test(code)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function networkWords(baseUrl: string, cause: { code?: string; message?: string }): string {
  if (
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/.test(
      cause.code ?? '',
    )
  ) {
    return `No server answers at ${baseUrl}. Start one with npm start; for a server elsewhere set COGWORKS_URL.`;
  }
  return `The connection to ${baseUrl} broke: ${cause.message ?? cause.code ?? 'no reason is known'}`;
}
