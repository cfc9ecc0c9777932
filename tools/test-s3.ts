/**
 * `npm run test:s3`: runs the tests of everything that stores files on a real S3 server, which it
 * starts. `npm run test:s3 -- server/src/resources/cogs/files/files.test.ts` runs single files.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBucketServer } from './containers/setup.ts';
import { startCeph } from './s3/ceph.ts';

const root = join(import.meta.dirname, '..');
const log = (line: string) => console.log(line);

/** Whatever stores, reads or removes files. */
const suites = [
  'server/src/storage/s3/*.test.ts',
  'server/src/objects/{objects,quota,stored-bytes}.test.ts',
  'server/src/resources/{cogs,registry,workers,workflow-runs}/**/*.test.ts',
  'server/test/faults/{containers,crashes}.test.ts',
];

/** They look into the folder of the disk storage. */
const ofDisk = ['files/damage.test.ts', 'zips/bytes.test.ts'];

async function files(): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob(suites, { cwd: root })) {
    if (!ofDisk.some((name) => file.endsWith(`/${name}`))) found.push(file);
  }
  return found.sort();
}

const tools = await ensureBucketServer({ install: true, log });
if (!tools.ready) {
  log(`${tools.problem} Install by: ${tools.remedy}`);
  process.exit(1);
}
const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'cogworks-s3-'));
// Ctrl-C reaches the tests too; then the server is stopped below.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
try {
  log('Starting Ceph …');
  const store = await startCeph(folder);
  try {
    const env = { ...process.env, ...store.env, TEST_STORAGE_URL: store.url };
    const args = ['tools/test.ts', ...(wanted.length > 0 ? wanted : await files())];
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    process.exitCode = code ?? 1;
  } finally {
    await store.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
