/**
 * Installs what containers need: `node tools/run.mjs tools/containers/setup.ts [--tests]`. As root
 * on Debian or Ubuntu it installs the distribution's packages; otherwise it prints the command. If
 * everything is installed it takes a few milliseconds.
 */
import { spawn } from 'node:child_process';
import { access, constants, readFile, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { childEnvironment, ofApt } from '../../server/src/child-environment.ts';
import { runCommand } from '../../worker/src/containers/command.ts';
import { findProgram } from '../../worker/src/containers/probe.ts';

export type SetupReport = {
  ready: boolean;
  /** The path of podman; null if it is missing. */
  command: string | null;
  installed: string[];
  /** What is still missing, and the command that installs it. */
  problem?: string;
  remedy?: string;
};

export type SetupOptions = {
  /** If false, it only checks. */
  install: boolean;
  log(line: string): void;
};

/** Packages, each with a program that shows whether it is installed. */
type Needs = Record<string, string>;

const podmanNeeds: Needs = {
  podman: 'podman',
  runc: 'runc',
  // Not needed to start a container, and only recommended by Debian: the small init, and egress.
  catatonit: 'catatonit',
  slirp4netns: 'slirp4netns',
};
/** Podman without root uses these to map the user's own range of user ids. */
const rootlessNeeds: Needs = { uidmap: 'newuidmap' };

const testNeeds: Needs = {
  'busybox-static': 'busybox',
  'docker-registry': 'docker-registry',
  'apache2-utils': 'htpasswd',
};
/** The same browser without windows, which draws with a sixth less work; some releases lack it. */
const shellNeeds: Needs = { 'chromium-headless-shell': 'chromium-headless-shell' };
const chromiumNeeds: Needs = { chromium: 'chromium' };

/** Ceph, a store with an S3 gateway that runs on one machine. */
const bucketNeeds: Needs = {
  'ceph-mon': 'ceph-mon',
  'ceph-osd': 'ceph-osd',
  radosgw: 'radosgw',
  'ceph-common': 'ceph',
};

const engineNeeds = (): Needs =>
  process.getuid?.() === 0 ? podmanNeeds : { ...podmanNeeds, ...rootlessNeeds };

/** What containers need: for `npm start`. */
export function ensureContainerEngine(options: SetupOptions): Promise<SetupReport> {
  return ensure(engineNeeds(), options);
}

/** What tests and the demo also need: a private registry, tools to build images, a browser. */
export async function ensureTestTools(
  options: SetupOptions & { browser?: boolean },
): Promise<SetupReport> {
  const browser = options.browser ? await browserNeeds(options) : {};
  return ensure({ ...engineNeeds(), ...testNeeds, ...browser }, options);
}

async function browserNeeds({ install, log }: SetupOptions): Promise<Needs> {
  const lacking = Object.keys(await missing(shellNeeds));
  if (lacking.length === 0) return shellNeeds;
  if (!install || !(await canInstall())) return chromiumNeeds;
  const isOffered = async (name: string) =>
    (await runCommand('apt-cache', ['show', name])).code === 0;
  // Lists that were never fetched offer neither.
  if (!(await isOffered('chromium'))) await apt(['update'], log);
  return (await Promise.all(lacking.map(isOffered))).every(Boolean) ? shellNeeds : chromiumNeeds;
}

/** What `npm run test:s3` also needs. */
export function ensureBucketServer(options: SetupOptions): Promise<SetupReport> {
  return ensure(bucketNeeds, options);
}

async function ensure(needs: Needs, { install, log }: SetupOptions): Promise<SetupReport> {
  const lacking = await missing(needs);
  const packages = Object.keys(lacking);
  if (packages.length === 0) return report([], []);
  if (!install || !(await canInstall())) return report([], packages);

  log(`Installing ${packages.join(', ')} with apt-get; about half a minute …`);
  const began = performance.now();
  const fault = await aptInstall(packages, log);
  const still = Object.keys(await missing(lacking));
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  if (still.length === 0) log(`Installed ${packages.join(', ')} in ${seconds} s.`);
  return report(
    packages.filter((name) => !still.includes(name)),
    still,
    fault,
  );
}

async function report(installed: string[], lacking: string[], fault = ''): Promise<SetupReport> {
  const command = await findProgram('podman');
  if (lacking.length === 0) return { ready: true, command, installed };
  const debian = (await findProgram('apt-get')) !== null;
  const names = lacking.join(' ');
  return {
    ready: false,
    command,
    installed,
    problem: `Not installed: ${lacking.join(', ')}.${fault && ` apt-get said: ${fault}`}`,
    remedy: debian
      ? `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}`
      : `Install these with your system's package manager (Debian's names): ${names}`,
  };
}

async function missing(needs: Needs): Promise<Needs> {
  const lacking: Needs = {};
  for (const [name, program] of Object.entries(needs)) {
    if ((await findProgram(program)) === null) lacking[name] = program;
  }
  return lacking;
}

const canInstall = async () => process.getuid?.() === 0 && (await findProgram('apt-get')) !== null;

const policyFile = '/usr/sbin/policy-rc.d';

/** @returns apt's last error, or nothing. */
async function aptInstall(packages: string[], log: (line: string) => void): Promise<string> {
  const blocked = await forbidServices();
  try {
    const first = await apt(['install', ...packages], log);
    if (first === '') return '';
    // The package lists were never fetched, or list versions that the mirror no longer has.
    log('The package lists are missing or old; fetching them …');
    await apt(['update'], log);
    return await apt(['install', ...packages], log);
  } finally {
    if (blocked) await rm(policyFile, { force: true });
  }
}

/**
 * Packages start their daemons when they are installed. Without an init (in a container, for
 * example) that fails, and so does the installation, unless this file forbids it meanwhile.
 */
async function forbidServices(): Promise<boolean> {
  const init = await readFile('/proc/1/comm', 'utf8').catch(() => '');
  if (/^(systemd|init)\s*$/.test(init)) return false;
  if (
    await access(policyFile).then(
      () => true,
      () => false,
    )
  )
    return false;
  if (
    !(await access('/usr/sbin', constants.W_OK).then(
      () => true,
      () => false,
    ))
  )
    return false;
  await writeFile(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return true;
}

const longestInstall_ms = 15 * 60_000;

function apt(args: string[], log: (line: string) => void): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(
      'apt-get',
      [
        // Waits for another apt on the same machine instead of failing.
        ...['-o', 'DPkg::Lock::Timeout=600', '-o', 'Acquire::Retries=3'],
        ...['-y', '-q', '--no-install-recommends', ...args],
      ],
      {
        env: {
          ...childEnvironment(process.env, ofApt),
          ...{ DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: longestInstall_ms,
      },
    );
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n'))
        if (/^(Setting up|Need to get)/.test(line)) log(`  ${line}`);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4000);
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? '' : lastError(errors) || `exit ${code}`));
  });
}

const lastError = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('E:'))
    .join(' ');

if (import.meta.main) {
  const { values } = parseArgs({
    options: { tests: { type: 'boolean' }, browser: { type: 'boolean' } },
  });
  const options = { install: true, log: (line: string) => console.log(line) };
  const done = values.tests
    ? await ensureTestTools({ ...options, browser: values.browser ?? false })
    : await ensureContainerEngine(options);
  if (done.ready) {
    const version = done.command && (await runCommand(done.command, ['--version'])).stdout.trim();
    console.log(`Ready: ${version ?? 'no podman'}`);
  } else {
    console.error(`${done.problem}\nType this, then start again:\n\n  ${done.remedy}\n`);
    process.exitCode = 1;
  }
}
