/** Programs that end with the process that started them, and ports for them. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { findProgram } from '../worker/src/containers/probe.ts';

/**
 * The child ends with this process, even if that is killed: it would not notice, and would keep its
 * port. In its own process group, because Ctrl-C in a terminal is for us.
 */
export async function spawnBound(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const binder = await findProgram('setpriv');
  const [command, ...rest] = binder
    ? [binder, '--pdeathsig', 'KILL', program, ...args]
    : [program, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
  // Whoever started it learns of a failure from `exit` or from what it does not answer.
  child.on('error', () => {});
  return child;
}

/** A free port of loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}
