/**
 * Fetches Debian packages with all they depend on, by apt in folders of its own: it needs no root,
 * changes nothing on the machine, and checks signatures as always.
 */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, elsewhere, ImageProblem } from './programs.ts';

export type Apt = {
  /** A folder for this build. */
  dir: string;
  /** Further settings of apt, for tests. */
  settings: readonly string[];
  signal: AbortSignal;
};

/** Where the machine keeps the lists of packages that it has fetched. */
const listsOfMachine = '/var/lib/apt/lists';

/**
 * @param say is told what is fetched.
 * @returns the paths of the packages.
 * @throws ImageProblem without a network, or if a package does not exist.
 */
export async function fetchPackages(
  apt: Apt,
  packages: readonly string[],
  say: (step: string) => void,
): Promise<string[]> {
  for (const folder of ['state/lists/partial', 'cache/archives/partial']) {
    await mkdir(join(apt.dir, folder), { recursive: true });
  }
  // As if nothing were installed.
  await writeFile(join(apt.dir, 'status'), '');
  say('Looking for packages');
  // Often the machine's own lists are new enough; they take a second less than fetching.
  const first = await download(apt, listsOfMachine, packages, say).catch(() => undefined);
  if (first) return first;
  apt.signal.throwIfAborted();
  say('Fetching the lists of packages');
  const own = join(apt.dir, 'state/lists');
  // A source among several may be away: what matters is whether the packages are found.
  const updating = run(apt, own, ['-o', 'APT::Update::Error-Mode=any', 'update']);
  const updated = await updating.catch((error: Error) => error);
  return download(apt, own, packages, say).catch((error: unknown) => {
    throw problemOf(error, typeof updated === 'string' ? undefined : updated);
  });
}

/** First only reads what would be fetched, to say it. @returns the paths of the packages. */
async function download(
  apt: Apt,
  lists: string,
  packages: readonly string[],
  say: (step: string) => void,
): Promise<string[]> {
  const wanted = ['install', '--download-only', '--no-install-recommends', '--yes', ...packages];
  const planned = await run(apt, lists, [...wanted, '--print-uris']);
  const found = [...planned.matchAll(/^'[^']+' (?<name>\S+\.deb) (?<size>\d+) /gm)].map(
    ({ groups }) => ({ name: groups?.name ?? '', size: Number(groups?.size) }),
  );
  const bytes = found.reduce((sum, { size }) => sum + size, 0);
  const step = `Fetching ${found.length} Debian packages, ${(bytes / 1e6).toFixed(0)} MB`;
  say(step);
  const archives = join(apt.dir, 'cache/archives');
  await whileSaying(
    archives,
    bytes,
    (percent) => say(`${step}: ${percent} %`),
    run(apt, lists, wanted),
  );
  // Of another attempt there may be other versions.
  return found.map(({ name }) => join(archives, name)).sort();
}

const look_ms = 500;

/** Says how much is there, as long as it is being fetched. */
async function whileSaying(
  archives: string,
  bytes: number,
  say: (percent: number) => void,
  fetching: Promise<unknown>,
): Promise<void> {
  let said = 0;
  let isOver = false;
  const timer = setInterval(async () => {
    const percent = Math.floor((100 * (await bytesIn(archives))) / Math.max(1, bytes));
    if (isOver || percent <= said || percent >= 100) return;
    said = percent;
    say(percent);
  }, look_ms);
  await fetching.finally(() => {
    isOver = true;
    clearInterval(timer);
  });
}

/** Of whole files and of those that are still arriving. */
async function bytesIn(archives: string): Promise<number> {
  const names = await readdir(archives, { recursive: true }).catch(() => []);
  const found = await Promise.all(
    names.map((name) => stat(join(archives, name)).catch(() => undefined)),
  );
  return found.reduce((sum, one) => sum + (one?.isFile() ? one.size : 0), 0);
}

const run = ({ dir, settings, signal }: Apt, lists: string, args: readonly string[]) => {
  const ours = [
    `Dir::State=${dir}/state`,
    `Dir::State::status=${dir}/status`,
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${dir}/cache`,
    'Debug::NoLocking=true',
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
  ];
  const all = [...ours, ...settings].flatMap((setting) => ['-o', setting]);
  return call('apt-get', ['-q', ...all, ...args], signal);
};

/** @param updating what failed before, which may be the cause. */
function problemOf(error: unknown, updating: Error | undefined): unknown {
  const lines = [updating, error].map(lastErrorOf).filter((line) => line !== '');
  const said = [...new Set(lines)];
  const text = said.join(' ');
  const unknown = /Unable to locate package (\S+)|Package '?(\S+?)'? has no installation/.exec(
    text,
  );
  // Not any "resolve": that is also a word of apt for packages that do not fit together.
  const isAway =
    /Could not resolve|Temporary failure resolving|Failed to fetch|Unable to connect|Could not connect|timed out|Some index files/i;
  if (isAway.test(text) || (updating && unknown)) {
    return new ImageProblem(
      `Debian's packages could not be fetched: is there a network, and do the sources of apt answer? (${said[0]}) ${elsewhere}`,
    );
  }
  if (unknown) {
    return new ImageProblem(
      `The sources of apt on this machine have no package ${unknown[1] ?? unknown[2]}; Debian 12 and 13 have.`,
    );
  }
  return said.length > 0 ? new ImageProblem(`apt could not fetch the packages. (${text})`) : error;
}

function lastErrorOf(error: unknown): string {
  const { stderr = '' } = (error ?? {}) as { stderr?: string };
  const lines = stderr.split('\n').filter((line) => line.startsWith('E:'));
  return (lines[0] ?? '').replace(/^E: /, '').slice(0, 300);
}
