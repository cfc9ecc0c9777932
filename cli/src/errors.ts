/** Error messages for the user who typed the command. */
import { ApiError, FileChanged } from '@cogworks/sdk/errors';
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
export function tellFault(cli: Cli, error: unknown): void {
  cli.signal.throwIfAborted();
  const isOwn = error instanceof Problem || error instanceof FileChanged;
  const isRefusal = error instanceof ApiError && error.status < 500 && error.status !== 401;
  const code = codeOf(error);
  const isOfFile = code !== undefined && !concernsAll.test(code);
  if (!isOwn && !isRefusal && !isOfFile) throw error;
  noteFault(cli, error);
}

export const noteFault = ({ screen, baseUrl }: Cli, error: unknown) =>
  screen.note(`  ${inWords(error, baseUrl)}`);

const isUnauthorized = (error: unknown) => error instanceof ApiError && error.status === 401;

/** Of a disk that is full or cannot be written, or a system without free handles. */
const concernsAll = /^(ENOSPC|EDQUOT|EROFS|EMFILE|ENFILE|EIO)$/;

/**
 * Whether an error concerns one of several files. After a broken connection or an error of the
 * service, this depends on whether it still answers.
 */
export async function isAboutOne({ client, signal }: Cli, error: unknown): Promise<boolean> {
  if (signal.aborted || isUnauthorized(error)) return false;
  if (error instanceof Problem || error instanceof FileChanged) return true;
  const code = codeOf(error);
  if (code !== undefined) return !concernsAll.test(code);
  if (error instanceof ApiError ? error.status < 500 : !(error instanceof TypeError)) return true;
  return client.getMe({ signal }).then(
    () => true,
    () => false,
  );
}

/** The code of an error of the file system, such as ENOSPC. */
function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : undefined;
}

export function inWords(error: unknown, baseUrl: string): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof FileChanged) return `${error.message} Repeat the command to send it.`;
  if (error instanceof ApiError) {
    if (error.status === 401) {
      return `The server at ${baseUrl} does not accept the key in COGWORKS_API_KEY. ${howToGetAKey(baseUrl)}`;
    }
    const id = error.error_id ? ` (error ${error.error_id})` : '';
    return `The server refused (${error.status}): ${error.detail}${id}`;
  }
  if (error instanceof SyntaxError) return `What answers at ${baseUrl} is not Cogworks.`;
  const { cause } = (error ?? {}) as { cause?: { code?: string } };
  if (error instanceof TypeError && cause) return networkWords(baseUrl, cause);
  const code = codeOf(error);
  if (error instanceof Error && code !== undefined) return fileSystemWords(error, code);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function fileSystemWords({ message }: Error, code: string): string {
  const advice: Record<string, string> = {
    ENOSPC: 'The disk of this machine is full. Make room and repeat the command.',
    EDQUOT: 'Your quota on this machine is used up. Make room and repeat the command.',
    EROFS: 'Nothing can be written there; choose another place.',
    EACCES: 'You may not do this; change the rights, or choose another place.',
    EPERM: 'You may not do this; change the rights, or choose another place.',
    ENAMETOOLONG: 'This machine does not take names that long.',
  };
  return advice[code] ? `${message}. ${advice[code]}` : message;
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
