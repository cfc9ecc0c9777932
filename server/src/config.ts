/**
 * Environment → one frozen object. The only reader of process.env. All faults are reported at once,
 * so that an operator can correct them together.
 */
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';

export type Config = Readonly<{
  host: string;
  /** 0 picks a free port; see `Services.baseUrl`. */
  port: number;
  /** Public URL without a trailing slash; unset: composed from host and port once listening. */
  base_url: string | undefined;
  data_dir: string;
  /** An external PostgreSQL; unset: the embedded one in `data_dir`. */
  database_url: string | undefined;
  storage_dir: string;
  /** Free space that uploads and results must leave on the disk of `storage_dir`. */
  disk_reserve_bytes: number;
  /** An external identity provider; unset: the embedded one. */
  oidc:
    | Readonly<{ issuer: string; client_id: string; client_secret: string | undefined }>
    | undefined;
  admin_email: string;
  admin_password: string | undefined;
  /** 32 bytes, base64 or hex; unset: generated into `data_dir`. */
  master_key: string | undefined;
  /** Requests per minute; 0 switches a limit off. */
  rate_limits: Readonly<{ default: number; upload: number; heartbeat: number }>;
  /** Addresses or CIDR ranges whose `X-Forwarded-For` is trusted. */
  trust_proxy: readonly string[];
  /** Retention of container logs, in days, and bytes per tenant; 0 means no limit. */
  logs: Readonly<{ days: number; tenant_bytes: number }>;
  log_level: string;
  /** Whether `serve` starts a worker on this host. */
  local_worker: boolean;
}>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export class ConfigError extends Error {}

/** libpq's modes except those with a fallback, which the driver does not support. */
const sslmodes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** @throws ConfigError that lists every invalid variable and its allowed values. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = [];
  const root = env.COGWORKS_ROOT ?? process.cwd();
  const dataDir = resolve(root, env.DATA_DIR || 'data');

  const integer = (name: string, fallback: number, max: number) => {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    if (/^\d+$/.test(text) && Number(text) <= max) return Number(text);
    faults.push(`${name} must be a whole number from 0 to ${max}, not "${text}".`);
    return fallback;
  };
  const url = (name: string, protocols: string[]) => {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol))
      return text.replace(/\/+$/, '');
    // Never include the value: a database URL holds a password.
    faults.push(
      `${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    );
    return undefined;
  };
  const oneOf = (name: string, fallback: string, values: string[]) => {
    const text = env[name] || fallback;
    if (!values.includes(text))
      faults.push(`${name} must be one of ${values.join(', ')}, not "${text}".`);
    return text;
  };
  const addresses = (name: string) => {
    const parts = (env[name] ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
    if (!parts.every(isAddressRange))
      faults.push(
        `${name} must be addresses or ranges like 10.0.0.0/8, with commas between, not "${env[name]}".`,
      );
    return parts;
  };

  const databaseUrl = url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const sslmode = databaseUrl && new URL(databaseUrl).searchParams.get('sslmode');
  if (sslmode && !sslmodes.includes(sslmode))
    faults.push(`sslmode in DATABASE_URL must be one of ${sslmodes.join(', ')}.`);
  const issuer = url('OIDC_ISSUER', ['http:', 'https:']);
  if (issuer && !env.OIDC_CLIENT_ID)
    faults.push('OIDC_CLIENT_ID must be set together with OIDC_ISSUER.');
  if (env.STORAGE_URL)
    faults.push('STORAGE_URL is not supported yet: leave it unset, files are kept in DATA_DIR.');
  if (env.REDIS_URL)
    faults.push(
      'REDIS_URL is not supported yet: leave it unset, rate limits are counted in memory.',
    );

  const config: Config = {
    host: env.HOST || '127.0.0.1',
    port: integer('PORT', 8080, 65_535),
    base_url: url('BASE_URL', ['http:', 'https:']),
    data_dir: dataDir,
    database_url: databaseUrl,
    storage_dir: join(dataDir, 'objects'),
    oidc: issuer
      ? {
          issuer,
          client_id: env.OIDC_CLIENT_ID ?? '',
          client_secret: env.OIDC_CLIENT_SECRET || undefined,
        }
      : undefined,
    admin_email: env.ADMIN_EMAIL || 'admin@localhost',
    admin_password: env.ADMIN_PASSWORD || undefined,
    master_key: env.MASTER_KEY || undefined,
    ...boundsIn(integer),
    trust_proxy: addresses('TRUST_PROXY'),
    log_level: oneOf('LOG_LEVEL', 'info', logLevels),
    local_worker: oneOf('LOCAL_WORKER', 'on', ['on', 'off']) === 'on',
  };
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return Object.freeze(config);
}

/** Limits that an operator may set. */
const boundsIn = (integer: (name: string, fallback: number, max: number) => number) => ({
  disk_reserve_bytes: integer('DISK_RESERVE_MB', 512, 1_000_000_000) * 1024 * 1024,
  rate_limits: {
    default: integer('RATE_LIMIT_DEFAULT', 200, 1_000_000),
    upload: integer('RATE_LIMIT_UPLOAD', 50, 1_000_000),
    heartbeat: integer('RATE_LIMIT_HEARTBEAT', 30, 1_000_000),
  },
  logs: {
    days: integer('LOG_RETENTION_DAYS', 30, 36_500),
    tenant_bytes: integer('LOG_LIMIT_MB', 2048, 1_000_000_000) * 1024 * 1024,
  },
});

function isAddressRange(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (length === undefined) return true;
  return /^\d+$/.test(length) && Number(length) <= (version === 4 ? 32 : 128);
}
