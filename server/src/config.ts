/**
 * Environment → one frozen object. The only reader of process.env. All faults are reported at once,
 * so that an operator can correct them together.
 */
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';

/** A bucket of an S3-compatible store. */
export type S3Location = Readonly<{
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  /** Without a trailing slash; unset: that of AWS for the region. */
  endpoint: string | undefined;
  region: string;
}>;

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
  /** Where files are stored instead of in `storage_dir`. */
  s3: S3Location | undefined;
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
  const s3 = env.STORAGE_URL ? bucketOf(env.STORAGE_URL, env.AWS_REGION) : undefined;
  if (typeof s3 === 'string') faults.push(s3);
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
    s3: typeof s3 === 'string' ? undefined : s3,
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

/** @returns a fault unless it is `s3://bucket/prefix?endpoint=…&region=…`. */
function bucketOf(text: string, defaultRegion: string | undefined): S3Location | string {
  // Never include the value: someone may have put credentials into it.
  const form = 'STORAGE_URL must be like s3://bucket/prefix?endpoint=https://…&region=…';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:') return `${form}.`;
  if (url.username || url.password || url.port || url.hash)
    return `${form}; credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    return `${form}, with the name of a bucket: 3 to 63 lower case letters, digits, dots and hyphens.`;
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  if (!/^[A-Za-z0-9._/-]{0,200}$/.test(path) || path.split('/').some((part) => part === '..'))
    return `${form}; the prefix may have letters, digits and . _ / - only.`;
  const { endpoint, region = defaultRegion, ...others } = Object.fromEntries(url.searchParams);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `${form}; there is no parameter ${unknown}.`;
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+\/*$/.test(endpoint))
    return `${form}; the endpoint must be like https://storage.example.com.`;
  if (!endpoint && !region) return `${form}; without an endpoint it needs the region.`;
  return Object.freeze({
    bucket,
    prefix: path && `${path}/`,
    endpoint: endpoint?.replace(/\/+$/, ''),
    region: region || 'us-east-1',
  });
}

function isAddressRange(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (length === undefined) return true;
  return /^\d+$/.test(length) && Number(length) <= (version === 4 ? 32 : 128);
}
