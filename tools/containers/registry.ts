/** A real private registry with a password, on a free loopback port: for tests and the demo. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Credentials {
  username: string;
  password: string;
}

export interface Registry {
  /** `127.0.0.1:<port>`: the `server` of a registry secret, and the first part of an image's name. */
  server: string;
  credentials: Credentials;
  stop(): Promise<void>;
}

export interface RegistryOptions {
  /** Where its images lie; made when missing. */
  folder: string;
  port?: number;
  credentials?: Credentials;
}

export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const credentials = options.credentials ?? {
    username: 'cogworks',
    password: randomBytes(12).toString('base64url'),
  };
  const server = `127.0.0.1:${options.port ?? (await freePort())}`;
  await mkdir(options.folder, { recursive: true });
  const passwords = join(options.folder, 'htpasswd');
  const config = join(options.folder, 'registry.yml');
  await writeFile(passwords, await htpasswdLine(credentials), { mode: 0o600 });
  await writeFile(config, configuration(server, options.folder, passwords));

  const child = spawn('docker-registry', ['serve', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-2000);
    });
  }
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  await untilItAnswers(server, () => child.exitCode !== null).catch((cause: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`The registry did not start: ${words}`, { cause });
  });
  return {
    server,
    credentials,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The registry knows bcrypt only, which Node does not have; the password goes by stdin, not `ps`. */
async function htpasswdLine({ username, password }: Credentials): Promise<string> {
  const child = spawn('htpasswd', ['-niB', '-C', '5', username], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(password);
  let line = '';
  for await (const text of child.stdout.setEncoding('utf8')) line += text;
  return line;
}

/** JSON is YAML. */
const configuration = (server: string, folder: string, passwords: string) =>
  JSON.stringify({
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'images') }, delete: { enabled: true } },
    http: { addr: server },
    auth: { htpasswd: { realm: 'cogworks', path: passwords } },
  });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

async function untilItAnswers(server: string, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const answer = await fetch(`http://${server}/v2/`).catch(() => null);
    if (answer?.status === 401) return;
    if (hasEnded() || Date.now() > deadline) throw new Error('no answer');
    await sleep(20);
  }
}
