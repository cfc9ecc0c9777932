/** The operator's commands. Each first reads its options, then works. */
import { findMisposted } from '../credits/accounts.ts';
import { isPlanName, type PlanName, planNames } from '../credits/plans.ts';
import { DomainError } from '../errors.ts';
import { findMiscounted } from '../objects/quota.ts';
import { findDifferences } from '../objects/reconciling.ts';
import { createKey } from '../resources/api-keys/api-keys.ts';
import { sealingKey } from '../resources/audit-events/seals/sealing.ts';
import { tenantsWithEvents, verifyEvents } from '../resources/audit-events/seals/verifying.ts';
import { giveOneTimePassword, openAccount } from '../resources/auth/accounts.ts';
import { limitTenant } from '../resources/platform/tenants/tenants.ts';
import {
  createTenant,
  embeddedIssuer,
  findTenantName,
  findUsersByEmail,
  type TenantSettings,
  type UserRow,
} from '../resources/users/users.ts';
import { openStorage } from '../roles/parts.ts';
import { requireOwnStorage } from '../storage/own-storage.ts';
import { type Command, Faults, type Parts, UsageError, type Values } from './command.ts';
import { fillFolder, makeImages } from './images.ts';
import { moveIssuer, type Whom } from './issuer.ts';
import { replaceMasterKey } from './master-key.ts';

export const commands: Command[] = [
  {
    name: 'create-api-key',
    options: '--email E --description D [--user ID]',
    about: 'Creates an API key for a user and prints only the key.',
    accepts: ['email', 'description', 'user'],
    prepare: (values) => {
      const email = emailIn(values, 'email');
      const description = textIn(values, 'description', 500);
      const id = userIn(values);
      return (parts) => createApiKey(parts, email, description, id);
    },
  },
  {
    name: 'create-tenant',
    options: '--name N --admin-email E',
    about: 'Creates a tenant with its admin; prints tenant_id, user_id and a one-time password.',
    accepts: ['name', 'admin-email'],
    prepare: (values) => {
      const name = textIn(values, 'name', 200);
      const email = emailIn(values, 'admin-email');
      return (parts) => openTenant(parts, name, email);
    },
  },
  {
    name: 'create-user',
    options: '--tenant ID --email E [--role admin|member]',
    about: 'Creates a user of a tenant; prints tenant_id, user_id and a one-time password.',
    accepts: ['tenant', 'email', 'role'],
    prepare: (values) => {
      const tenantId = idIn(values, 'tenant');
      const email = emailIn(values, 'email');
      const role = values.role ?? 'member';
      if (role !== 'admin' && role !== 'member') {
        throw new UsageError('--role must be admin or member.');
      }
      return (parts) => addUser(parts, tenantId, email, role);
    },
  },
  {
    name: 'reset-password',
    options: '--email E [--user ID]',
    about: 'Ends all sessions of a user and prints a new one-time password.',
    accepts: ['email', 'user'],
    prepare: (values) => {
      const email = emailIn(values, 'email');
      const id = userIn(values);
      return (parts) => resetPassword(parts, email, id);
    },
  },
  {
    name: 'move-issuer',
    options: '--from URL [--subjects keep|new] [--addresses verified|all] [--user ID]',
    about:
      'After a change of OIDC_ISSUER: lets users of the former one in again, each by their verified address, without their API keys, or with --subjects keep by the same subject. Addresses that the former one has not verified count only with --addresses all, or for the one --user. Without OIDC_ISSUER they become users with a password, which reset-password gives them. Prints who could not be moved.',
    accepts: ['from', 'subjects', 'addresses', 'user'],
    prepare: (values) => {
      const from = textIn(values, 'from', 2000).replace(/\/$/, '');
      const whom = movedIn(values);
      return (parts) => moveIssuer(parts, from, whom);
    },
  },
  {
    name: 'set-tenant-limits',
    options:
      '--tenant ID [--plan NAME] [--max-credits N|none] [--max-running-node-runs N|none] [--max-storage-bytes N|none] [--max-seats N|none]',
    about:
      'Limits how many credits a tenant may use in a period, how many of its node runs may be leased to workers at the same time, how many bytes it may store, and how many users and open invitations it may have. A plan sets the limits on credits, bytes and users, but for those given as well.',
    accepts: [
      'tenant',
      'plan',
      'max-credits',
      'max-running-node-runs',
      'max-storage-bytes',
      'max-seats',
    ],
    prepare: (values) => {
      const tenantId = idIn(values, 'tenant');
      const credits = 'max-credits';
      const bytes = 'max-storage-bytes';
      const seats = 'max-seats';
      const limits: TenantSettings = {
        ...(values['plan'] === undefined ? {} : { plan: planIn(values) }),
        ...(values[credits] === undefined ? {} : { credits_limit: creditsIn(values, credits) }),
        ...(values[bytes] === undefined ? {} : { storage_limit_bytes: bytesIn(values, bytes) }),
        ...(values[seats] === undefined ? {} : { seats_limit: limitIn(values, seats) }),
        // Without any limit, this one is named as missing.
        ...((values[bytes] ?? values[seats] ?? values['plan'] ?? values[credits]) !== undefined &&
        values['max-running-node-runs'] === undefined
          ? {}
          : { max_running_node_runs: limitIn(values, 'max-running-node-runs') }),
      };
      return (parts) => setLimits(parts, tenantId, limits);
    },
  },
  {
    name: 'check-storage',
    options: '',
    about:
      'Compares what is stored with what is recorded, and prints what differs: then the exit code is 1. Changes nothing.',
    accepts: [],
    prepare: () => checkStorage,
  },
  {
    name: 'images',
    options: '[--from FOLDER] [--into FOLDER]',
    about:
      'Makes the images of the templates that come with the release, as far as they are missing; takes those that --from has. With --into it makes them into that folder instead, for an installation without a network.',
    accepts: ['from', 'into'],
    prepare: ({ from, into }) => {
      if (from !== undefined && into !== undefined)
        throw new UsageError('Only one of --from and --into is possible.');
      return into === undefined ? (parts) => makeImages(parts, from) : () => fillFolder(into);
    },
  },
  {
    name: 'check-credits',
    options: '',
    about:
      'Compares the accounts of credits with what was posted, leased and used, and prints what differs: then the exit code is 1. Changes nothing.',
    accepts: [],
    prepare: () => checkCredits,
  },
  {
    name: 'check-audit',
    options: '',
    about:
      'Compares the events of all tenants with their seals, and prints what was changed: then the exit code is 1. Also prints what was sealed late. Changes nothing.',
    accepts: [],
    prepare: () => checkAudit,
  },
  {
    name: 'rotate-master-key',
    options: '',
    about: 'Seals all keys with a new master key. Servers that keep theirs in a file may run.',
    accepts: [],
    prepare: () => replaceMasterKey,
  },
];

async function createApiKey({ db }: Parts, email: string, description: string, id?: number) {
  const found = await findUsersByEmail(db, email);
  const user = theOne(
    found.filter(({ status }) => status === 'active'),
    id,
  );
  if (!user) throw new DomainError('not_found', `No active user has the address ${email}.`);
  const { tenant_id, role, is_platform_admin } = user;
  const caller = { user_id: user.id, tenant_id, role, is_platform_admin };
  return (await createKey(db, caller, { description })).access_key;
}

function openTenant({ config, db, keys }: Parts, name: string, email: string) {
  return db.transaction(async (tx) => {
    const tenant_id = await createTenant(tx, keys, name);
    const opened = await openAccount(tx, config, { tenant_id, email, role: 'admin' });
    return described(opened);
  });
}

async function addUser(
  { config, db }: Parts,
  tenant_id: number,
  email: string,
  role: 'admin' | 'member',
) {
  if ((await findTenantName(db, tenant_id)) === undefined) throw noTenant(tenant_id);
  return described(await openAccount(db, config, { tenant_id, email, role }));
}

/** Of users with one address. @throws UsageError if there are several. */
function theOne(users: readonly UserRow[], id: number | undefined): UserRow | undefined {
  const [user, another] = users.filter((one) => (id ?? one.id) === one.id);
  if (!another) return user;
  const known = users.map((one) => `${one.id} (tenant ${one.tenant_id}, ${one.issuer})`).join(', ');
  throw new UsageError(`Several users have that address; choose one by --user: ${known}.`);
}

async function resetPassword({ config, db }: Parts, email: string, id?: number) {
  const user = theOne(await findUsersByEmail(db, email), id);
  if (user ? user.issuer !== embeddedIssuer : config.oidc) {
    throw new DomainError(
      'conflict',
      `No user with the address ${email} has a password here; others are kept by the external identity provider.`,
    );
  }
  if (!user) throw new DomainError('not_found', `No user has the address ${email}.`);
  return db.transaction(async (tx) =>
    described({ user, password: await giveOneTimePassword(tx, user) }),
  );
}

async function setLimits({ db }: Parts, tenant_id: number, limits: TenantSettings) {
  const isKnown = await db.transaction((tx) => limitTenant(tx, tenant_id, limits));
  if (!isKnown) throw noTenant(tenant_id);
  return JSON.stringify({ tenant_id, ...limits });
}

async function checkStorage({ config, db, keys }: Parts) {
  const storage = await openStorage({ config, keys, baseUrl: () => config.base_url ?? '' });
  await requireOwnStorage(db, storage, false);
  const differences = await findDifferences({ db, storage }, tellCompared);
  const miscounted = await findMiscounted(db);
  const told = JSON.stringify({ ...differences, miscounted_tenants: miscounted }, null, 2);
  const { missing, other_size, unknown } = differences;
  const count = missing.count + other_size.count + unknown.count + miscounted.length;
  if (count > 0) throw new Faults(told);
  return told;
}

async function checkCredits({ db }: Parts) {
  const accounts = await findMisposted(db);
  const told = JSON.stringify({ accounts });
  if (accounts.length > 0) throw new Faults(told);
  return told;
}

async function checkAudit({ db, keys }: Parts) {
  const key = sealingKey(keys);
  const counted = { tenants: 0, blocks: 0, events: 0, unsealed_events: 0, late_events: 0 };
  const faults = [];
  const late_blocks = [];
  for (const tenant_id of await tenantsWithEvents(db)) {
    const found = await verifyEvents(db, key, tenant_id, undefined);
    counted.tenants += 1;
    for (const name of ['blocks', 'events', 'unsealed_events', 'late_events'] as const)
      counted[name] += found[name];
    faults.push(...found.faults.map((fault) => ({ tenant_id, ...fault })));
    late_blocks.push(...found.late_blocks.map((block) => ({ tenant_id, ...block })));
  }
  const told = JSON.stringify({ ...counted, faults, late_blocks }, null, 2);
  if (faults.length > 0) throw new Faults(told);
  return told;
}

/** On a terminal only, since it may take hours. */
function tellCompared(objects: number) {
  if (process.stderr.isTTY) process.stderr.write(`\r${objects} objects compared`);
}

const noTenant = (id: number) => new DomainError('not_found', `There is no tenant ${id}.`);

type Opened = { user: { id: number; tenant_id: number }; password?: string };

const described = ({ user, password }: Opened) =>
  JSON.stringify({ tenant_id: user.tenant_id, user_id: user.id, password });

function textIn(values: Values, name: string, max: number): string {
  const text = values[name]?.trim() ?? '';
  if (text === '') throw new UsageError(`--${name} is missing.`);
  if (text.length > max) throw new UsageError(`--${name} may have ${max} characters at most.`);
  return text;
}

function emailIn(values: Values, name: string): string {
  const text = textIn(values, name, 320);
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new UsageError(`--${name} must be an e-mail address.`);
  return text;
}

function idIn(values: Values, name: string): number {
  const id = Number(textIn(values, name, 16));
  if (!Number.isSafeInteger(id) || id <= 0) throw new UsageError(`--${name} must be a number.`);
  return id;
}

const userIn = (values: Values) => (values.user === undefined ? undefined : idIn(values, 'user'));

/** Whom move-issuer moves. */
function movedIn(values: Values): Whom {
  const { subjects = 'new', addresses } = values;
  const id = userIn(values);
  if (subjects !== 'keep' && subjects !== 'new')
    throw new UsageError('--subjects must be keep or new.');
  if (addresses !== undefined && addresses !== 'verified' && addresses !== 'all')
    throw new UsageError('--addresses must be verified or all.');
  if ((subjects === 'keep' || addresses) && id !== undefined)
    throw new UsageError('--user goes alone with --from.');
  if (subjects === 'keep' && addresses)
    throw new UsageError('--addresses is not for --subjects keep.');
  if (subjects === 'keep') return 'same_subjects';
  return id === undefined ? (addresses ?? 'verified') : { id };
}

function planIn(values: Values): PlanName {
  const name = textIn(values, 'plan', 40);
  if (isPlanName(name)) return name;
  throw new UsageError(`--plan must be one of ${planNames.join(', ')}.`);
}

/** Whole credits; null for `none`. */
function creditsIn(values: Values, name: string): number | null {
  const text = textIn(values, name, 16);
  if (text === 'none') return null;
  const most = /^\d+$/.test(text) ? Number(text) : -1;
  if (most < 0 || most > 1_000_000_000) {
    throw new UsageError(`--${name} must be a number from 0 to 1000000000, or none.`);
  }
  return most;
}

/** A number of bytes; null for `none`. */
function bytesIn(values: Values, name: string): number | null {
  const text = textIn(values, name, 16);
  if (text === 'none') return null;
  const most = /^\d+$/.test(text) ? Number(text) : -1;
  if (!Number.isSafeInteger(most) || most < 0) {
    throw new UsageError(`--${name} must be a number of bytes, or none.`);
  }
  return most;
}

/** A limit; null for `none`. */
function limitIn(values: Values, name: string): number | null {
  const text = textIn(values, name, 16);
  if (text === 'none') return null;
  const most = /^\d+$/.test(text) ? Number(text) : 0;
  if (most < 1 || most > 1_000_000) {
    throw new UsageError(`--${name} must be a number from 1 to 1000000, or none.`);
  }
  return most;
}
