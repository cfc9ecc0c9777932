/** What a worker is started with: arguments over environment over defaults. */
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseRange, type Range } from '@cogworks/sdk/outbound/addresses';
import { isLoopback } from './containers/image-reference.ts';
import { parseRegistryAllow, type RegistryAllow } from './containers/registry-allow.ts';
import { WorkerProblem } from './problems.ts';

export type Settings = {
  /** Of the server, without a trailing slash. */
  baseUrl: string;
  enrollmentToken: string | undefined;
  name: string;
  labels: string[];
  /** Absolute. The worker's own: who it is, its images, what its containers use. */
  stateDir: string;
  /** Whose worker it is: the installation it is a part of, or else the server's URL. */
  server: string;
  /** In the labels of its containers. */
  installation: string;
  /** Addresses of this machine's own network that containers with `egress` may reach. */
  egressAllow: Range[];
  /** Registries of this machine's own network that may be called for a tenant. */
  registryAllow: RegistryAllow;
  /** A server's own worker: it ends with its server, and gets a token in case it needs one. */
  isLocal: boolean;
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

/** @returns undefined when help is asked for. @throws WorkerProblem for what cannot be meant. */
export function readSettings(argv: string[], env: NodeJS.ProcessEnv): Settings | undefined {
  const values = parsed(argv);
  if (values.help) return undefined;
  const text = values.url || env.COGWORKS_URL;
  if (!text) throw wrong('COGWORKS_URL must be set: the URL of the Cogworks server.');
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw wrong(`The URL of the server begins with http:// or https://; "${text}" does not.`);
  }
  const baseUrl = text.replace(/\/+$/, '');
  const name = values.name || env.COGWORKS_WORKER_NAME || hostname();
  if (name.length > 200) throw wrong('The name of a worker has at most 200 characters.');
  const enrollmentToken = env.COGWORKS_ENROLLMENT_TOKEN?.trim() || undefined;
  if (enrollmentToken !== undefined && !enrollmentToken.startsWith('wet_')) {
    throw wrong(
      'COGWORKS_ENROLLMENT_TOKEN begins with wet_: an enrolment token, not an API key or the token of a worker.',
    );
  }
  const stateDir = resolve(values.dir || env.COGWORKS_WORKER_DIR || folderOf(name));
  const installation = env.COGWORKS_INSTALLATION || undefined;
  return {
    baseUrl,
    enrollmentToken,
    name,
    labels: (values.labels ?? env.COGWORKS_WORKER_LABELS ?? '')
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean),
    stateDir,
    server: installation ?? baseUrl,
    installation: installation ?? `worker-${hostname()}`,
    registryAllow: registryAllow(env.REGISTRY_ALLOW, baseUrl),
    egressAllow: egressAllow(env.EGRESS_ALLOW ?? ''),
    isLocal: env.COGWORKS_PARENT_PIPE === 'stdin',
  };
}

/** A worker on its server's own machine is mostly one person's; that machine's registries are too. */
function registryAllow(text: string | undefined, baseUrl: string): RegistryAllow {
  const allow = parseRegistryAllow(text ?? (isLoopback(new URL(baseUrl).host) ? 'loopback' : ''));
  if (allow) return allow;
  throw wrong(
    `REGISTRY_ALLOW is hosts, addresses or ranges, or the word loopback, with commas between; "${text}" is not.`,
  );
}

function egressAllow(text: string): Range[] {
  const words = text.split(',').map((word) => word.trim());
  return words.filter(Boolean).map((word) => {
    const range = parseRange(word);
    if (range?.bits === 32) return range;
    throw wrong(
      `EGRESS_ALLOW is IPv4 addresses or ranges like 10.1.0.0/16, with commas between; "${word}" is none.`,
    );
  });
}

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
