/**
 * The door every npm script goes through: brings the dependencies up to date, then runs a
 * TypeScript file under Node 24. It is plain JavaScript, because on a fresh machine the Node
 * that runs it may be 20, and nothing is installed yet.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.cogworks-installed');

installWhenStale();
run(nodeBinary(), process.argv.slice(2));

function installWhenStale() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;

  console.error('Installing dependencies (first run, or package-lock.json changed) …');
  // No dependency needs its install script: what they would do (links of the PostgreSQL
  // libraries) is done at start. The engine warnings of an older host Node do not apply
  // either, because everything runs under the Node 24 that this installs.
  const npm = process.env.npm_execpath;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) {
    console.error(
      '\nnpm ci failed. Check the network and the free disk space, then run this again.',
    );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

function nodeBinary() {
  const own = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  console.error(
    `Cogworks needs Node 24. It comes through npm for Linux; on this platform (${process.platform}-${process.arch}) please install it yourself.`,
  );
  process.exit(1);
}

/** Hands over terminal, signals and exit code. */
function run(node, args) {
  const child = spawn(node, args, {
    stdio: 'inherit',
    env: { ...process.env, COGWORKS_ROOT: root },
  });
  // A terminal sends Ctrl-C to the child as well; the child decides when it has stopped cleanly.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(`${node} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}
