/** A real private registry with a password, on a free loopback port: for tests and the demo. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, spawnBound } from '../bound-process.ts';

export type Credentials = {
  username: string;
  password: string;
};

export type Registry = {
  /** `127.0.0.1:<port>`: the `server` of a registry secret, and the first part of an image's name. */
  server: string;
  credentials: Credentials;
  /** Resolves when it has ended, for whatever reason. */
  exited: Promise<void>;
  /** Ends it without waiting. */
  kill(): void;
  stop(): Promise<void>;
};

export type RegistryOptions = {
  /** Where its images are stored; created if missing. */
  folder: string;
  port?: number;
  credentials?: Credentials;
};

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

  const child = await spawnBound('docker-registry', ['serve', config]);
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-2000);
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const exited = once(child, 'exit').then(
    () => undefined,
    (error: Error) => {
      words += error.message;
    },
  );
  const kill = () => {
    if (!hasEnded()) child.kill('SIGKILL');
  };
  await untilItAnswers(server, credentials, exited).catch((cause: unknown) => {
    kill();
    throw new Error(`The registry did not start at ${server}: ${lastLine(words)}`, { cause });
  });
  return {
    server,
    credentials,
    exited,
    kill,
    async stop() {
      kill();
      await exited;
    },
  };
}

const lastLine = (words: string) => words.trim().split('\n').at(-1) ?? '';

/**
 * The registry accepts only bcrypt, which Node lacks. The password is passed by stdin, because `ps`
 * shows arguments.
 */
async function htpasswdLine({ username, password }: Credentials): Promise<string> {
  const child = spawn('htpasswd', ['-niB', '-C', '5', username], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  // If the program is missing, its pipe closes before the password is written.
  child.stdin.on('error', () => {});
  child.stdin.end(password);
  let line = '';
  for await (const text of child.stdout.setEncoding('utf8')) line += text;
  await exited;
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

/** Asks with its password, so that another registry at this port is not mistaken for it. */
export async function answers({ server, credentials }: Pick<Registry, 'server' | 'credentials'>) {
  const { username, password } = credentials;
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const answer = await fetch(`http://${server}/v2/`, {
    headers: { authorization: `Basic ${basic}` },
    signal: AbortSignal.timeout(5000),
  }).catch(() => null);
  return answer?.status === 200;
}

async function untilItAnswers(server: string, credentials: Credentials, exited: Promise<void>) {
  const deadline = Date.now() + 20_000;
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  while (!(await answers({ server, credentials }))) {
    if (hasEnded || Date.now() > deadline) throw new Error('no answer');
    await sleep(20);
  }
}
