/** A worker's settings: arguments take precedence over environment over defaults. */
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isLoopback } from '@cogworks/graph/image-reference';
import { parseRange, type Range } from '@cogworks/sdk/outbound/addresses';
import {
  allowNothing,
  ownRegistryAt,
  parseRegistryAllow,
  type RegistryAllow,
} from './containers/registry-allow.ts';
import { WorkerProblem } from './problems.ts';

/** `none` runs nothing and reports success: for benchmarks of the server. */
export type ExecutorName = 'podman' | 'none';

export type Settings = {
  /** The server's, without a trailing slash. */
  base_url: string;
  enrollment_token: string | undefined;
  name: string;
  labels: string[];
  /** Absolute. The worker's own folder: its identity, its images, its containers' files. */
  state_dir: string;
  /**
   * Which server it works for: the id of the installation it belongs to, or else the server's URL.
   */
  server: string;
  /** A label of its containers. */
  installation: string;
  /** Addresses of this machine's own network that containers with `egress` may reach. */
  egress_allow: Range[];
  /** Registries of this machine's own network that may be called for a tenant. */
  registry_allow: RegistryAllow;
  /** The executor of its attempts. */
  executor: ExecutorName;
  /** A server's own worker: it ends with its server, and gets a token in case it needs one. */
  is_local: boolean;
};

export const usage = `A worker runs the containers of a Cogworks server on this machine.

  COGWORKS_URL=https://… COGWORKS_ENROLLMENT_TOKEN=wet_… npm run worker
  npm run worker -- --name gpu-1 --labels gpu,big

  --url URL         COGWORKS_URL             the server's URL, as in a browser, without /app
  --name NAME       COGWORKS_WORKER_NAME     default: the name of this machine
  --labels A,B      COGWORKS_WORKER_LABELS   words that are shown beside the name
  --dir FOLDER      COGWORKS_WORKER_DIR      the worker's own folder; default: data/workers/NAME
                    REGISTRY_ALLOW           registries inside that images may come from:
                                             loopback, registry.internal:5000, 10.1.0.0/16
                    EGRESS_ALLOW             internal addresses that containers with egress may
                                             reach, such as 10.1.0.0/16,192.168.7.9
  --help
                    COGWORKS_ENROLLMENT_TOKEN   for the first start: enrols one worker

An admin makes the enrolment token by POST /workers/enrollment-tokens; it works once, within an hour
unless made for longer. The worker then has a token of its own in its folder, and needs no other.
Name and labels are taken when it enrols; an admin may change them later. Each worker on a machine
has a name of its own, and with it a folder of its own.

Ctrl-C or SIGTERM stops what runs, gives it back, and ends.

Exit codes: 0 stopped, 1 the server refused or cannot be reached, 2 wrong use, 3 containers cannot
run here, 4 another process works with this worker's identity, 5 another process uses the folder.
`;

/**
 * @returns undefined if help is requested.
 * @throws WorkerProblem that lists every fault.
 */
export function readSettings(argv: string[], env: NodeJS.ProcessEnv): Settings | undefined {
  const values = parsed(argv);
  if (values.help) return undefined;
  const faults: string[] = [];
  const base_url = serverUrl(values.url || env.COGWORKS_URL, faults);
  const name = values.name || env.COGWORKS_WORKER_NAME || hostname();
  if (name.length > 200) faults.push('The name of a worker has at most 200 characters.');
  const enrollment_token = env.COGWORKS_ENROLLMENT_TOKEN?.trim() || undefined;
  if (enrollment_token !== undefined && !enrollment_token.startsWith('wet_')) {
    faults.push(
      'COGWORKS_ENROLLMENT_TOKEN begins with wet_: an enrolment token, not an API key or the token of a worker.',
    );
  }
  const executor = executorNamed(env.COGWORKS_EXECUTOR || 'podman', base_url, faults);
  const installation = env.COGWORKS_INSTALLATION || undefined;
  const settings: Settings = {
    base_url,
    enrollment_token,
    name,
    labels: [
      ...wordsOf(values.labels ?? env.COGWORKS_WORKER_LABELS),
      ...(executor === 'none' ? ['runs-nothing'] : []),
    ],
    executor,
    state_dir: resolve(values.dir || env.COGWORKS_WORKER_DIR || folderOf(name)),
    server: installation ?? base_url,
    installation: installation ?? `worker-${hostname()}`,
    registry_allow: {
      ...registryAllow(env.REGISTRY_ALLOW, base_url, faults),
      ...ownRegistryAt(env.COGWORKS_REGISTRY || base_url),
    },
    egress_allow: egressAllow(env.EGRESS_ALLOW, faults),
    is_local: env.COGWORKS_PARENT_PIPE === 'stdin',
  };
  if (faults.length > 0) throw wrong(faults.join('\n'));
  return settings;
}

/** Replaces a missing or invalid server, so that it causes no further faults. */
const noServer = 'http://localhost';

function serverUrl(text: string | undefined, faults: string[]): string {
  if (!text) {
    faults.push('COGWORKS_URL must be set: the URL of the Cogworks server.');
    return noServer;
  }
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    faults.push(`The URL of the server begins with http:// or https://; "${text}" does not.`);
    return noServer;
  }
  return text.replace(/\/+$/, '');
}

/**
 * A worker that runs nothing would report work as done. So it requires the variable, a server on
 * this machine, and a folder in which no worker with containers ever enrolled (identity.ts); the
 * server's own worker does not get the variable. Its label and its log show what it is.
 */
function executorNamed(name: string, baseUrl: string, faults: string[]): ExecutorName {
  if (name === 'none' && !isLoopback(new URL(baseUrl).host)) {
    faults.push(
      'COGWORKS_EXECUTOR=none reports success without running anything: it is for benchmarks of a server on this machine (127.0.0.1, localhost), not for one elsewhere.',
    );
  } else if (name !== 'podman' && name !== 'none') {
    faults.push(`COGWORKS_EXECUTOR is podman, or none for a benchmark; "${name}" is neither.`);
  }
  return name === 'none' ? 'none' : 'podman';
}

/** A worker beside its server usually belongs to one person; so do registries on that machine. */
function registryAllow(text: string | undefined, baseUrl: string, faults: string[]): RegistryAllow {
  const usual = isLoopback(new URL(baseUrl).host) ? 'loopback' : '';
  const allow = parseRegistryAllow(text ?? usual);
  if (!allow) {
    faults.push(
      `REGISTRY_ALLOW is hosts, addresses or ranges, or the word loopback, with commas between; "${text}" is not.`,
    );
  }
  return allow ?? allowNothing;
}

function egressAllow(text: string | undefined, faults: string[]): Range[] {
  return wordsOf(text).flatMap((word) => {
    const range = parseRange(word);
    if (range?.bits === 32) return [range];
    faults.push(
      `EGRESS_ALLOW is IPv4 addresses or ranges like 10.1.0.0/16, with commas between; "${word}" is none.`,
    );
    return [];
  });
}

const wordsOf = (text = '') =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

/** Not the folder of the server's own worker, which is data/worker. */
function folderOf(name: string): string {
  const folder = name.replace(/[^\w.-]+/g, '-').replace(/^\.+/, '');
  return join('data/workers', folder || 'worker');
}

function parsed(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        url: { type: 'string' },
        name: { type: 'string' },
        labels: { type: 'string' },
        dir: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw wrong((error as Error).message.split('. ')[0] ?? '');
  }
}

const wrong = (message: string) =>
  new WorkerProblem(`${message}\nnpm run worker -- --help tells more.`, 'usage');
