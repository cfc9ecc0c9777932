/** The operator's commands. Each first reads its options, then works. */
import { DomainError } from '../errors.ts';
import { findMiscounted } from '../objects/quota.ts';
import { findDifferences } from '../objects/reconciling.ts';
import { createKey } from '../resources/api-keys/api-keys.ts';
import { giveOneTimePassword, openAccount } from '../resources/auth/accounts.ts';
import {
  changeTenantLimits,
  createTenant,
  embeddedIssuer,
  findTenantName,
  findUserByEmail,
  findUsersByEmail,
  type TenantLimits,
} from '../resources/users/users.ts';
import { openStorage } from '../roles/parts.ts';
import { requireOwnStorage } from '../storage/own-storage.ts';
import { type Command, type Parts, UsageError, type Values } from './command.ts';
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
      const id = values.user === undefined ? undefined : idIn(values, 'user');
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
    options: '--email E',
    about: 'Ends all sessions of a user and prints a new one-time password.',
    accepts: ['email'],
    prepare: (values) => {
      const email = emailIn(values, 'email');
      return (parts) => resetPassword(parts, email);
    },
  },
  {
    name: 'set-tenant-limits',
    options: '--tenant ID [--max-running-node-runs N|none] [--max-storage-bytes N|none]',
    about:
      'Limits how many node runs of a tenant may be leased to workers at the same time, and how many bytes it may store.',
    accepts: ['tenant', 'max-running-node-runs', 'max-storage-bytes'],
    prepare: (values) => {
      const tenantId = idIn(values, 'tenant');
      const bytes = 'max-storage-bytes';
      const limits: TenantLimits = {
        ...(values[bytes] === undefined ? {} : { storage_limit_bytes: bytesIn(values, bytes) }),
        // Without any limit, this one is named as missing.
        ...(values[bytes] !== undefined && values['max-running-node-runs'] === undefined
          ? {}
          : { max_running_node_runs: limitIn(values, 'max-running-node-runs') }),
      };
      return (parts) => limitTenant(parts, tenantId, limits);
    },
  },
  {
    name: 'check-storage',
    options: '',
    about:
      'Compares what is stored with what is recorded, and prints what differs. Changes nothing.',
    accepts: [],
    prepare: () => checkStorage,
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
  const active = found.filter((user) => user.status === 'active' && (id ?? user.id) === user.id);
  const [user, another] = active;
  if (!user) throw new DomainError('not_found', `No active user has the address ${email}.`);
  if (another) {
    const ids = active.map((one) => one.id).join(', ');
    throw new UsageError(`Several users have that address; choose one by --user: ${ids}.`);
  }
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

async function resetPassword({ config, db }: Parts, email: string) {
  if (config.oidc) {
    throw new DomainError('conflict', 'Passwords are kept by the external identity provider.');
  }
  const user = await findUserByEmail(db, embeddedIssuer, email);
  if (!user) throw new DomainError('not_found', `No user has the address ${email}.`);
  return db.transaction(async (tx) =>
    described({ user, password: await giveOneTimePassword(tx, user) }),
  );
}

async function limitTenant({ db }: Parts, tenant_id: number, limits: TenantLimits) {
  const isKnown = await changeTenantLimits(db, tenant_id, limits);
  if (!isKnown) throw noTenant(tenant_id);
  return JSON.stringify({ tenant_id, ...limits });
}

async function checkStorage({ config, db, keys }: Parts) {
  const storage = await openStorage({ config, keys, baseUrl: () => config.base_url ?? '' });
  await requireOwnStorage(db, storage, false);
  const differences = await findDifferences({ db, storage }, tellCompared);
  const miscounted = await findMiscounted(db);
  return JSON.stringify({ ...differences, miscounted_tenants: miscounted }, null, 2);
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
