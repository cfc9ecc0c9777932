import { parseArgs } from 'node:util';
import type { AboveCog, Cog, Permission, User } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import type { Cli, Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readDuration } from '../expiry.ts';
import { everyRow } from '../lists.ts';
import { findCog } from '../paths.ts';
import { Problem, UsageProblem } from '../problem.ts';
import { localTime } from '../words.ts';

const levels = ['viewer', 'editor', 'owner'] as const;
const capabilities = ['upload', 'share', 'delete'] as const;

type Grant = {
  level: (typeof levels)[number];
  expires_in?: number;
  can_upload?: boolean;
  can_share?: boolean;
  can_delete?: boolean;
};

export const share: Command = {
  usage: 'share PATH [EMAIL [--level L [--expires 7d] [--allow C]… [--deny C]…] | --revoke]',
  help: `lists who has access and why, says why EMAIL has, gives them access, or ends it
  --level L        ${levels.join(', ')}
  --expires TIME   when it ends by itself: 30m, 12h, 7d; never unless given
  --allow C        ${capabilities.join(', ')}: also this, whatever the level says
  --deny C         ${capabilities.join(', ')}: not this, whatever the level says
  --revoke         end what was given to EMAIL on PATH itself`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        json,
        level: { type: 'string' },
        expires: { type: 'string' },
        allow: { type: 'string', multiple: true, default: [] },
        deny: { type: 'string', multiple: true, default: [] },
        revoke: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, most: 2, what: 'PATH' });
    const [path = '', email] = positionals;
    const grant = readGrant(values);
    if (grant && values.revoke) throw new UsageProblem('--revoke excludes the other options.');
    if (email === undefined && (grant || values.revoke))
      throw new UsageProblem('EMAIL is missing.');
    return async (cli) => {
      const cog = await findCog(cli, path);
      if (email === undefined) return list(cli, cog, values.json);
      const user = await findUser(cli, email);
      if (grant) return give(cli, cog, user, grant, values.json);
      return values.revoke
        ? revoke(cli, cog, user, values.json)
        : explain(cli, cog, user, values.json);
    };
  },
};

type Options = { level?: string; expires?: string; allow: string[]; deny: string[] };

function readGrant({ level, expires, allow, deny }: Options): Grant | undefined {
  if (level === undefined) {
    const isIncomplete = expires !== undefined || allow.length + deny.length > 0;
    if (isIncomplete) throw new UsageProblem('--level is missing.');
    return undefined;
  }
  const known = levels.find((one) => one === level);
  if (!known) throw new UsageProblem(`There is no level “${level}”, only ${levels.join(', ')}.`);
  const grant: Grant = { level: known };
  if (expires !== undefined) grant.expires_in = readDuration(expires);
  for (const word of [...allow, ...deny]) {
    const capability = capabilities.find((one) => one === word);
    if (!capability || (allow.includes(word) && deny.includes(word))) {
      throw new UsageProblem(
        `--allow and --deny take one of ${capabilities.join(', ')} each, not “${word}”.`,
      );
    }
    grant[`can_${capability}`] = allow.includes(word);
  }
  return grant;
}

/** @throws Problem if nobody of the tenant has that address. */
async function findUser(cli: Cli, email: string): Promise<User> {
  const users = await everyRow(cli, 'listUsers', { query: { q: email, limit: 100 } });
  const found = users.find((user) => user.email.toLowerCase() === email.toLowerCase());
  if (!found) throw new Problem(`Nobody here has the address ${email}; an admin can invite them.`);
  return found;
}

async function give(cli: Cli, cog: Cog, user: User, grant: Grant, isJson: boolean) {
  const { expires_in, ...rest } = grant;
  const expiry = expires_in === undefined ? {} : { expires_at: await timeIn(cli, expires_in) };
  const given = await cli.client.shareCog({
    path: { id: cog.id },
    body: {
      target_type: 'cog',
      target_id: cog.id,
      user_id: user.id,
      ...rest,
      ...expiry,
    },
    signal: cli.signal,
  });
  cli.answer(isJson, given, () => [`${user.email}  ${wordsOf(given)}`]);
  return exitCodes.ok;
}

/** By the clock of the server: that of this machine may be wrong. */
async function timeIn({ client, signal }: Cli, seconds: number): Promise<string> {
  const { headers } = await client.call('getMe', { signal });
  const now = Date.parse(headers.get('date') ?? '');
  return new Date((Number.isNaN(now) ? Date.now() : now) + seconds * 1000).toISOString();
}

async function explain({ client, signal, answer }: Cli, cog: Cog, user: User, isJson: boolean) {
  const query = { user_id: user.id };
  const access = await client.explainAccess({ path: { id: cog.id }, query, signal });
  answer(isJson, access, () => [access.explanation]);
  return exitCodes.ok;
}

async function revoke(cli: Cli, cog: Cog, user: User, isJson: boolean) {
  const query = { limit: 100 };
  const grants = await everyRow(cli, 'listPermissions', { path: { id: cog.id }, query });
  const grant = grants.find(({ user_id }) => user_id === user.id);
  if (!grant) {
    throw new Problem(
      `${user.email} was given nothing on “${cog.name}” itself. Without --revoke, this command says where their access comes from.`,
    );
  }
  const { permission_id } = grant;
  await cli.client.revokePermission({ path: { permission_id }, signal: cli.signal });
  cli.answer(isJson, grant, () => [`${user.email} is no longer ${grant.level} of ${cog.name}`]);
  return exitCodes.ok;
}

async function list(cli: Cli, cog: Cog, isJson: boolean) {
  const path = { id: cog.id };
  const query = { include_inherited: true, limit: 100 };
  const grants = await everyRow(cli, 'listPermissions', { path, query });
  const above = await cli.client.getCogPath({ path, signal: cli.signal });
  const users = await everyRow(cli, 'listUsers', { query: { limit: 100 } });
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  cli.answer(isJson, grants, (paint) =>
    grants.map((grant) => {
      const who = emails.get(grant.user_id) ?? `user ${grant.user_id}`;
      return `${who}  ${wordsOf(grant)}  ${paint('dim', sourceOf(grant, above))}`;
    }),
  );
  return exitCodes.ok;
}

function wordsOf(grant: Permission): string {
  const overrides = capabilities.flatMap((word) => {
    const can = grant[`can_${word}`];
    if (can === undefined) return [];
    return [can ? `may ${word}` : `may not ${word}`];
  });
  const until = grant.expires_at ? [`until ${localTime(grant.expires_at)}`] : [];
  return [grant.level, ...overrides, ...until].join(', ');
}

function sourceOf({ inherited_from, overridden }: Permission, above: AboveCog[]): string {
  const folder = above.find(({ id }) => id === inherited_from)?.name ?? 'a folder above';
  const source = inherited_from === undefined ? 'given here' : `through ${folder}`;
  return overridden ? `${source}, but a nearer grant decides` : source;
}
