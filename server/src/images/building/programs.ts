/** Calls the programs that images are made with. */
import { type ExecFileException, execFile } from 'node:child_process';
import { childEnvironment, ofApt } from '../../child-environment.ts';

/** With the package that has it. */
const needed = { 'apt-get': 'apt', 'dpkg-deb': 'dpkg', tar: 'tar', gzip: 'gzip', sh: 'dash' };

/** Why an image cannot be made, in words for whoever waits for it. */
export class ImageProblem extends Error {}

/** What helps where no image can be made. */
export const elsewhere =
  'They can be made on another machine (npm run images -- --into FOLDER), and taken from there (npm run images -- --from FOLDER).';

const mostText = 16 * 1024 * 1024;

/**
 * Runs a program, after all others of the machine, in English, without the server's secrets: apt runs
 * whatever its settings name, and one program is from a package that was just fetched.
 *
 * @returns what it printed.
 * @throws Error with `stderr` if it fails, or the signal is aborted. Neither has the passwords that
 *   URLs of sources and proxies may hold.
 */
export function call(command: string, args: readonly string[], signal: AbortSignal) {
  const env = { ...childEnvironment(undefined, ofApt), LC_ALL: 'C.UTF-8' };
  const options = { signal, maxBuffer: mostText, env };
  return new Promise<string>((resolve, reject) => {
    execFile('nice', ['-n', '10', command, ...args], options, (error, stdout, stderr) =>
      error ? reject(signal.aborted ? error : failure(error, stderr)) : resolve(stdout),
    );
  });
}

function failure({ message, code }: ExecFileException, stderr: string) {
  return Object.assign(new Error(withoutPasswords(message)), {
    ...{ stderr: withoutPasswords(stderr), code },
  });
}

const withoutPasswords = (text: string) => text.replace(/:\/\/[^/\s]*@/g, '://');

/** @throws ImageProblem if this machine lacks a program; the signal's reason if it is aborted. */
export async function requirePrograms(signal: AbortSignal): Promise<void> {
  const missing: string[] = [];
  for (const [program, of] of Object.entries(needed)) {
    const probe = call('sh', ['-c', 'command -v "$0"', program], signal);
    await probe.catch(() => missing.push(of));
    // It kills the probe, which says nothing of the program then.
    signal.throwIfAborted();
  }
  if (missing.length === 0) return;
  throw new ImageProblem(
    `This machine lacks ${missing.join(', ')}: images are made of Debian packages, on Debian or Ubuntu. ${elsewhere}`,
  );
}
