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
  /** An external identity provider, offered by the sign-in page; unset: none. */
  oidc:
    | Readonly<{
        issuer: string;
        client_id: string;
        client_secret: string | undefined;
        /** What the sign-in page calls it. */
        name: string;
      }>
    | undefined;
  /** Where mails are sent from, and by which server; unset: none are sent. */
  mail: Readonly<{ url: string; from: string }> | undefined;
  admin_email: string;
  admin_password: string | undefined;
  /** 32 bytes, base64 or hex; unset: generated into `data_dir`. */
  master_key: string | undefined;
  /** Requests per minute; 0 switches a limit off. */
  rate_limits: Readonly<{ default: number; upload: number; heartbeat: number }>;
  /** Addresses or CIDR ranges whose `X-Forwarded-For` is trusted. */
  trust_proxy: readonly string[];
  /** Hosts, addresses and ranges that users' URLs may name besides public https. */
  outbound_allow: readonly string[];
  /** REGISTRY_ALLOW as it stands; the local worker gets it too, and checks it. */
  registry_allow: string | undefined;
  /** Where traces are sent, and which share of them; unset: none are made. */
  traces: Readonly<{ url: string; ratio: number; service: string }> | undefined;
  /** Retention of container logs, in days, and bytes per tenant; 0 means no limit. */
  logs: Readonly<{ days: number; tenant_bytes: number }>;
  /** Days for which events of the audit trail are kept; 0 means for ever. */
  audit_days: number;
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
          name: env.OIDC_NAME || new URL(issuer).host,
        }
      : undefined,
    mail: mailIn(url('SMTP_URL', ['smtp:', 'smtps:']), env.MAIL_FROM, faults),
    admin_email: env.ADMIN_EMAIL || 'admin@localhost',
    admin_password: env.ADMIN_PASSWORD || undefined,
    master_key: env.MASTER_KEY || undefined,
    registry_allow: env.REGISTRY_ALLOW,
    traces: tracesIn(
      url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['http:', 'https:']),
      url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
      env,
      faults,
    ),
    ...boundsIn(integer),
    ...listsIn(env, faults),
    log_level: oneOf('LOG_LEVEL', 'info', logLevels),
    local_worker: oneOf('LOCAL_WORKER', 'on', ['on', 'off']) === 'on',
  };
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return Object.freeze(config);
}

function mailIn(
  url: string | undefined,
  from: string | undefined,
  faults: string[],
): Config['mail'] {
  if (!url) return undefined;
  if (!from || !isSender(from)) {
    faults.push(
      'MAIL_FROM must be set together with SMTP_URL, like "Cogworks <no-reply@example.com>".',
    );
  }
  return { url, from: from ?? '' };
}

/** By the variables that every program with OpenTelemetry has; the first URL is complete. */
function tracesIn(
  complete: string | undefined,
  base: string | undefined,
  { OTEL_TRACES_SAMPLER_ARG: share, OTEL_SERVICE_NAME: service }: NodeJS.ProcessEnv,
  faults: string[],
): Config['traces'] {
  const url = complete ?? (base && `${base}/v1/traces`);
  if (!url) return undefined;
  const ratio = share ? Number(share) : 1;
  if (!(ratio >= 0 && ratio <= 1))
    faults.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${share}".`);
  return { url, ratio, service: service || 'cogworks' };
}

/** Limits that an operator may set. */
const boundsIn = (integer: (name: string, fallback: number, max: number) => number) => ({
  disk_reserve_bytes: integer('DISK_RESERVE_MB', 512, 1_000_000_000) * 1024 * 1024,
  rate_limits: {
    default: integer('RATE_LIMIT_DEFAULT', 200, 1_000_000),
    upload: integer('RATE_LIMIT_UPLOAD', 50, 1_000_000),
    heartbeat: integer('RATE_LIMIT_HEARTBEAT', 30, 1_000_000),
  },
  audit_days: integer('AUDIT_RETENTION_DAYS', 0, 36_500),
  logs: {
    days: integer('LOG_RETENTION_DAYS', 30, 36_500),
    tenant_bytes: integer('LOG_LIMIT_MB', 2048, 1_000_000_000) * 1024 * 1024,
  },
});

/** Lists of hosts and addresses. */
function listsIn(env: NodeJS.ProcessEnv, faults: string[]) {
  const words = (name: string, wanted: string, isOne: (word: string) => boolean) => {
    const parts = (env[name] ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
    if (!parts.every(isOne))
      faults.push(`${name} must be ${wanted}, with commas between, not "${env[name]}".`);
    return parts;
  };
  const ranges = 'addresses or ranges like 10.0.0.0/8';
  return {
    trust_proxy: words('TRUST_PROXY', ranges, isAddressRange),
    outbound_allow: words(
      'OUTBOUND_ALLOW',
      `hosts like hooks.internal:8443, ${ranges}`,
      (word) => isAddressRange(word) || isHost(word),
    ),
  };
}

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

/** An address, alone or after a name. */
const isSender = (text: string) =>
  /^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(text);

const isHost = (text: string) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(text);

function isAddressRange(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (length === undefined) return true;
  return /^\d+$/.test(length) && Number(length) <= (version === 4 ? 32 : 128);
}
