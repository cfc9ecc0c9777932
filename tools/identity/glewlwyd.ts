/**
 * A real identity provider that is not ours: glewlwyd, from Debian, on a loopback port and in a
 * folder of its own. Its packages are unpacked, not installed: that needs no root, starts no service
 * and asks no questions.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../worker/src/containers/command.ts';
import { freePort, spawnBound } from '../bound-process.ts';

const cache = join(import.meta.dirname, '../../.cache');
const unpacked = join(cache, 'glewlwyd');

/**
 * Downloads and unpacks what is missing.
 *
 * @returns why it cannot be run here; undefined if it can.
 */
export async function ensureGlewlwyd(log: (line: string) => void): Promise<string | undefined> {
  if (await isThere(unpacked)) return undefined;
  log('Unpacking glewlwyd, an identity provider for tests …');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'glewlwyd-'));
  try {
    const packages = await lackingPackages();
    await run(folder, 'apt-get', 'download', ...packages);
    for (const file of await readdir(folder)) {
      if (file.endsWith('.deb')) await run(folder, 'dpkg-deb', '--extract', file, 'root');
    }
    await rename(join(folder, 'root'), unpacked);
    return undefined;
  } catch (error) {
    return `glewlwyd cannot be unpacked: ${(error as Error).message}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The package and the libraries that this machine has not. */
async function lackingPackages(): Promise<string[]> {
  const simulate = ['install', '--simulate', '--no-install-recommends', 'glewlwyd'];
  const said = await run('/', 'apt-get', ...simulate, 'dbconfig-no-thanks');
  return [...said.matchAll(/^Inst (\S+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name === 'glewlwyd' || /^lib(?!js-)/.test(name));
}

async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { code, stdout, stderr } = await runCommand(program, args, {
    cwd,
    env,
    timeout_ms: 60_000,
  });
  if (code !== 0) throw new Error(`${program}: ${stderr.trim().split('\n').at(-1) ?? code}`);
  return stdout;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

export type RealProvider = {
  /** As for OIDC_ISSUER. */
  issuer: string;
  client_id: string;
  client_secret: string;
  /** Lets the client come back to that address. */
  addClient(redirectUri: string): Promise<void>;
  addUser(user: {
    username: string;
    password: string;
    name: string;
    email: string;
    verified: boolean;
  }): Promise<void>;
  /** Signs in as that person in a browser would. @returns the cookie of the session. */
  signIn(username: string, password: string): Promise<string>;
  stop(): Promise<void>;
};

/** Starts it with an empty database, as `ensureGlewlwyd` has unpacked it. */
export async function startGlewlwyd(folder: string): Promise<RealProvider> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const library = join(unpacked, 'usr/lib');
  const triplet = (await readdir(library)).find((name) => name.endsWith('-linux-gnu')) ?? '';
  const config = join(folder, 'glewlwyd.conf');
  const database = join(folder, 'glewlwyd.db');
  // Its pages are in another package; a test signs in without them.
  const pages = join(folder, 'pages');
  await mkdir(pages);
  await createDatabase(database);
  await writeFile(config, configuration({ url, port, database, library, pages }));
  const child = await spawnBound(join(unpacked, 'usr/bin/glewlwyd'), ['--config-file', config], {
    ...process.env,
    LD_LIBRARY_PATH: join(library, triplet),
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-4000);
    });
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  try {
    for (const deadline = Date.now() + 20_000; ; await sleep(20)) {
      const answer = await fetch(`${url}/config`).catch(() => null);
      if (answer?.ok) break;
      if (Date.now() > deadline || child.exitCode !== null) throw new Error('no answer');
    }
    return { ...(await configured(url)), stop };
  } catch (cause) {
    await stop();
    throw new Error(`glewlwyd did not start: ${words.trim().split('\n').at(-1)}`, { cause });
  }
}

const client_id = 'cogworks';
const admin = { username: 'admin', password: 'password' };
const scopes = 'openid profile email';

async function configured(url: string): Promise<Omit<RealProvider, 'stop'>> {
  const issuer = `${url}/api/oidc`;
  const client_secret = randomBytes(16).toString('hex');
  const signIn = async (username: string, password: string) => {
    const answer = await fetch(`${url}/api/auth/`, json('POST', { username, password }));
    if (!answer.ok) throw new Error(`${username} cannot sign in: ${answer.status}`);
    return answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  };
  const cookie = await signIn(admin.username, admin.password);
  const ask = async (method: string, path: string, body: unknown) => {
    const answer = await fetch(`${url}/api${path}`, json(method, body, { cookie }));
    if (!answer.ok)
      throw new Error(`${method} ${path}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  };
  for (const name of ['profile', 'email'])
    await ask('POST', '/scope/', {
      name,
      display_name: name,
      password_required: false,
      scheme: {},
    });
  await ask('POST', '/mod/plugin/', {
    ...{ module: 'oidc', name: 'oidc', display_name: 'OpenID', enabled: true },
    parameters: pluginOf(issuer),
  });
  return {
    ...{ issuer, client_id, client_secret, signIn },
    addClient: (redirectUri) =>
      ask('POST', '/client/?source=database', {
        ...{ client_id, name: 'Cogworks', enabled: true, confidential: true, client_secret },
        redirect_uri: [redirectUri],
        authorization_type: ['code'],
        token_endpoint_auth_method: ['client_secret_basic'],
        scope: [],
      }),
    addUser: async ({ verified, ...user }) => {
      const scope = scopes.split(' ');
      const email_verified = verified ? 'yes' : 'no';
      await ask('POST', '/user/?source=database', {
        ...user,
        scope,
        enabled: true,
        email_verified,
      });
      // Consent, which its page would ask for once.
      const own = await signIn(user.username, user.password);
      const granted = await fetch(
        `${url}/api/auth/grant/${client_id}`,
        json('PUT', { scope: scopes }, { cookie: own }),
      );
      if (!granted.ok) throw new Error(`no consent: ${granted.status}`);
    },
  };
}

const json = (
  method: string,
  body: unknown,
  headers: Record<string, string> = {},
): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Code with PKCE only, signed with a key of its own. */
function pluginOf(iss: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    ...{ iss, 'jwt-type': 'ecdsa', 'jwt-key-size': '256', key: privateKey, cert: publicKey },
    ...{ 'access-token-duration': 3600, 'refresh-token-duration': 1_209_600, 'code-duration': 600 },
    ...{ 'allow-non-oidc': false, 'allowed-scope': scopes.split(' '), 'subject-type': 'public' },
    ...{ 'auth-type-code-enabled': true, 'auth-type-token-enabled': false },
    ...{ 'auth-type-id-token-enabled': false, 'auth-type-none-enabled': false },
    ...{ 'auth-type-password-enabled': false, 'auth-type-client-enabled': false },
    ...{ 'auth-type-refresh-enabled': false, 'refresh-token-rolling': true },
    ...{ 'pkce-allowed': true, 'pkce-method-plain-allowed': false, 'pkce-required': true },
    ...{ 'name-claim': 'mandatory', 'name-claim-scope': ['profile'] },
    ...{ 'email-claim': 'mandatory', 'email-claim-scope': ['email'], 'scope-claim': 'no' },
    ...{ 'jwks-show': true, 'request-parameter-allow': false, 'oauth-as-iss-id': true },
    claims: [
      {
        ...{ name: 'email_verified', 'user-property': 'email_verified', type: 'boolean' },
        ...{ 'boolean-value-true': 'yes', 'boolean-value-false': 'no' },
        ...{ mandatory: true, 'on-demand': false, scope: [] },
      },
    ],
  };
}

async function createDatabase(file: string) {
  const script = join(unpacked, 'usr/share/dbconfig-common/data/glewlwyd/install/sqlite3');
  const database = new DatabaseSync(file);
  database.exec(await readFile(script, 'utf8'));
  // Users get one more property, which they cannot change themselves.
  database.exec(`
    update g_user_module_instance
    set gumi_parameters = json_set(
      gumi_parameters, '$."data-format".email_verified',
      json('{"multiple":false,"read":true,"write":true,"profile-read":false,"profile-write":false}')
    )
  `);
  database.close();
}

const configuration = ({
  url,
  port,
  database,
  library,
  pages,
}: {
  url: string;
  port: number;
  database: string;
  library: string;
  pages: string;
}) => `
port=${port}
bind_address="127.0.0.1"
external_url="${url}"
login_url="login.html"
api_prefix="api"
static_files_path="${pages}"
log_mode="console"
log_level="WARNING"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${library}/glewlwyd/user"
user_middleware_module_path="${library}/glewlwyd/user_middleware"
client_module_path="${library}/glewlwyd/client"
user_auth_scheme_module_path="${library}/glewlwyd/scheme"
plugin_module_path="${library}/glewlwyd/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3", path = "${database}" }
`;
