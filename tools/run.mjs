/**
 * Starts every npm script: updates the dependencies, then runs a TypeScript file under Node 24. It
 * is plain JavaScript, because on a fresh machine its own Node may be 20, and nothing is installed
 * yet.
 *
 * The program ends together with it: on a signal to it, to npm or to the whole terminal, and also
 * if npm is killed, which sends no signal.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.cogworks-installed');
/** The Node that npm installs, where there is one for the platform. */
const ownNode = join(root, 'node_modules', '.bin', 'node');
/** Where Node keeps compiled code, if it may write there: a program starts in half the time. */
const compiled = join(root, '.cache', 'compiled');

/**
 * Half of what Node lets the halves of the young heap grow to, in MB. It never gives them back: after
 * a hundred uploads at once they took 134 MB, of which two were in use.
 */
const youngHeap = '--max-semi-space-size=32';

/** The running child process, and whether it was told to end. */
let child;
let isEnding = false;

// The terminal may be gone before everything is written.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal));
watchParents();

await installWhenStale();
if (isEnding) process.exit(1);
process.exit(await run(nodeBinary(), [youngHeap, ...process.argv.slice(2)], { ipc: true }));

async function installWhenStale() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;

  console.error('Installing dependencies (first run, or package-lock.json changed) …');
  // No dependency needs its install script: what they would do (links of the PostgreSQL
  // libraries) is done at start. The engine warnings of an older host Node do not apply
  // either, because everything runs under the Node 24 that this installs.
  const code = (await runNpm(process.execPath, 'ci')) || (await addLeftOut());
  if (code !== 0) {
    if (!isEnding)
      console.error(
        '\nnpm ci failed. Check the network and the free disk space, then run this again.',
      );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

/**
 * Under an older Node, npm leaves out the binaries of packages that need a newer one. With the Node
 * that is installed now, it adds them.
 */
function addLeftOut() {
  if (isNewEnough() || !existsSync(ownNode)) return 0;
  return runNpm(ownNode, 'install', '--no-save', '--prefer-offline');
}

function runNpm(node, ...command) {
  const args = [...command, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // Without npm around us there is its script, which runs by the first node of the path.
  const path = `${dirname(node)}:${process.env.PATH}`;
  const npm = process.env.npm_execpath;
  return npm ? run(node, [npm, ...args], { path }) : run('npm', args, { path });
}

function isNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= 24;
}

function nodeBinary() {
  if (existsSync(ownNode)) return ownNode;
  if (isNewEnough()) return process.execPath;
  console.error(
    `Cogworks needs Node 24. It comes through npm for Linux; on this platform (${process.platform}-${process.arch}) please install it yourself.`,
  );
  process.exit(1);
}

/**
 * Runs a command on this terminal and forwards signals to it. With `ipc` it also gets the
 * terminal's input, and a channel that closes if we are killed. Resolves to its exit code.
 */
function run(command, args, { ipc = false, path = process.env.PATH } = {}) {
  child = spawn(command, args, {
    cwd: ipc ? process.cwd() : root,
    stdio: ipc ? ['inherit', 'inherit', 'inherit', 'ipc'] : ['ignore', 2, 2],
    env: ipc
      ? { NODE_COMPILE_CACHE: compiled, ...process.env, COGWORKS_ROOT: root }
      : { ...process.env, PATH: path },
  });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 1)));
  });
}

/** A terminal also sends Ctrl-C to the child, which decides when it has stopped cleanly. */
function end(signal) {
  isEnding = true;
  child?.kill(signal);
}

/**
 * npm, and the shell in between, may be killed without a signal to us, so they are watched. If
 * started by anything else we outlive it, as `node tools/run.mjs … &` in a script should.
 */
function watchParents() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parents = npmAndShell().map((pid) => [pid, startOf(pid)]);
  const timer = setInterval(() => {
    if (process.ppid === parents[0][0] && parents.every(([pid, start]) => startOf(pid) === start))
      return;
    clearInterval(timer);
    end('SIGTERM');
  }, 500);
  timer.unref();
}

/** Our parent process; if that is a shell, its parent too. */
function npmAndShell() {
  const [name, parent] = statOf(process.ppid);
  return /^(da|ba|z|k)?sh$/.test(name) ? [process.ppid, Number(parent)] : [process.ppid];
}

/** When a process started: distinguishes it from a later one with the same id. */
function startOf(pid) {
  return statOf(pid)[2];
}

/** Name, parent and start time of a process by proc(5); empty if it has ended, or without /proc. */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return [];
    return [stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')), parent, rest[17]];
  } catch {
    return [];
  }
}
