/** Finds the server and signs in with an API key, as any program would. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Problem } from '@cogworks/cli/problem';
import { type Client, createClient } from '@cogworks/sdk/client';
import { ApiError } from '@cogworks/sdk/errors';
import { allRows } from '@cogworks/sdk/pages';
import { exchangeApiKey } from '@cogworks/sdk/tokens';
import { runCommand } from '../../worker/src/containers/command.ts';

const root = join(import.meta.dirname, '../..');

/** Where a server of this checkout has its data. */
export const dataDirOf = (env: NodeJS.ProcessEnv): string => resolve(root, env.DATA_DIR || 'data');

/** @throws Problem if there is no answer. */
export async function findServer(baseUrl: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(
    () => undefined,
  );
  if (!answer) {
    throw new Problem(
      `No server answers at ${baseUrl}. Start one with npm start in another terminal and run this again; ` +
        'for a server elsewhere set COGWORKS_URL.',
    );
  }
  if (!answer.ok) {
    throw new Problem(`${baseUrl} answers ${answer.status} to /readyz, so it is not ready.`);
  }
}

export type SignedIn = {
  client: Client;
  email: string;
  /** A key created for the demo, to be revoked at its end. */
  ownKey?: string;
};

export async function signIn(baseUrl: string, env: NodeJS.ProcessEnv): Promise<SignedIn> {
  const given = env.COGWORKS_API_KEY;
  const key = given || (await createKey(env.ADMIN_EMAIL || 'admin@localhost', env));
  const client = createClient({ baseUrl, token: exchangeApiKey(baseUrl, key) });
  const me = await client.getMe().catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    throw new Problem(
      given
        ? `The server at ${baseUrl} does not know the key in COGWORKS_API_KEY.`
        : `The server at ${baseUrl} does not know the key that was just made for it: it keeps its data ` +
            'elsewhere. Start the demo with the same DATA_DIR as the server, or set COGWORKS_API_KEY.',
    );
  });
  return { client, email: me.email, ...(given ? {} : { ownKey: key }) };
}

/** Uses this checkout's operator command line, which requires access to the server's data. */
async function createKey(email: string, env: NodeJS.ProcessEnv): Promise<string> {
  const dataDir = dataDirOf(env);
  // Without this check the command line would create a new, empty installation there.
  if (!env.DATABASE_URL && !existsSync(dataDir)) {
    throw new Problem(
      `There is no data folder ${dataDir}, so the demo cannot make itself an API key. ` +
        'Start it with the same DATA_DIR as the server, or set COGWORKS_API_KEY.',
    );
  }
  const { code, stdout, stderr } = await runCommand(
    process.execPath,
    [
      ...['server/src/admin.ts', 'create-api-key', '--email', email],
      ...['--description', `Demo of ${new Date().toISOString().slice(0, 16)}`],
    ],
    { cwd: root, env: { ...env, COGWORKS_ROOT: root } },
  );
  if (code !== 0) throw new Problem(`No API key could be made for ${email}: ${stderr.trim()}`);
  return stdout.trim();
}

/** Revokes the key and every token it was exchanged for. */
export async function revokeKey(client: Client, key: string): Promise<void> {
  for await (const row of allRows(client, 'listApiKeys', {})) {
    if (key.startsWith(row.key_prefix)) return client.deleteApiKey({ path: { id: row.id } });
  }
}
