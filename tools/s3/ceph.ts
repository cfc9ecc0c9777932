/**
 * A real S3 server that is not ours: the gateway of Ceph, with one monitor and one store in memory,
 * on loopback ports and in a folder of its own. It is up in 12 s.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { runCommand } from '../../worker/src/containers/command.ts';
import { freePort, spawnBound } from '../bound-process.ts';

export type BucketServer = {
  /** As for STORAGE_URL, of an empty bucket. */
  url: string;
  /** Credentials, for the environment of whoever uses it. */
  env: Record<string, string>;
  stop(): Promise<void>;
};

const bucket = 'cogworks-tests';
const region = 'us-east-1';
/** Of the store in memory; what is not used is not allocated. */
const storeBytes = 8 * 1024 ** 3;

export async function startCeph(folder: string): Promise<BucketServer> {
  const [monitorPort, port] = [await freePort(), await freePort()];
  const fsid = randomUUID();
  const config = join(folder, 'ceph.conf');
  for (const name of ['mon', 'osd', 'run']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(config, configuration(folder, { fsid, monitorPort, port }));
  const env = { ...process.env, CEPH_CONF: config };
  const started: Awaited<ReturnType<typeof spawnBound>>[] = [];
  let words = '';

  const run = async (program: string, ...args: string[]) => {
    const { code, stderr } = await runCommand(program, args, { env, timeout_ms: 60_000 });
    if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.trim() || code}`);
  };
  const start = async (program: string, ...args: string[]) => {
    const child = await spawnBound(program, ['-f', ...args], env);
    started.push(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        words = (words + text).slice(-4000);
      });
    }
  };
  const stop = async () => {
    // The gateway first: it waits for the others when it ends.
    for (const child of started.reverse()) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  };

  try {
    const [map, keyring, osd] = [join(folder, 'monmap'), join(folder, 'keyring'), randomUUID()];
    const monitor = `[v1:127.0.0.1:${monitorPort}]`;
    await run('ceph-authtool', '--create-keyring', keyring, '--gen-key', '-n', 'mon.');
    await run('monmaptool', '--create', '--addv', 'a', monitor, '--fsid', fsid, map);
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring);
    await start('ceph-mon', '-i', 'a');
    await run('ceph', 'osd', 'new', osd);
    await run('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', osd);
    await run('ceph', 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default');
    await start('ceph-osd', '-i', '0');
    await start('radosgw', '-n', 'client.rgw');
    const endpoint = `http://127.0.0.1:${port}`;
    await untilItAnswers(endpoint);
    const credentials = {
      accessKeyId: randomBytes(10).toString('hex'),
      secretAccessKey: randomBytes(20).toString('hex'),
    };
    const { accessKeyId, secretAccessKey } = credentials;
    const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey];
    await run('radosgw-admin', 'user', 'create', '--uid=tests', '--display-name=tests', ...keys);
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return {
      url: `s3://${bucket}?${new URLSearchParams({ endpoint, region })}`,
      env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`Ceph did not start: ${words.trim().split('\n').at(-1)}`, { cause: error });
  }
}

async function untilItAnswers(endpoint: string) {
  for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(5000) }).catch(() => null);
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Error(`no answer at ${endpoint}`);
  }
}

/**
 * One copy of everything, no keys between the parts, everything below the folder. The store does not
 * change its place in the map itself: at the same time as our command, it was refused at times, and
 * ended.
 */
const configuration = (
  folder: string,
  { fsid, monitorPort, port }: { fsid: string; monitorPort: number; port: number },
) => `
[global]
fsid = ${fsid}
mon host = v1:127.0.0.1:${monitorPort}
mon initial members = a
public addr = 127.0.0.1
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
run dir = ${folder}/run
admin socket = ${folder}/run/$name.$pid.asok
pid file = ${folder}/run/$name.pid
log file = ${folder}/$name.log
mon data = ${folder}/mon
mon data avail warn = 1
mon data avail crit = 1
mon allow pool size one = true
mon warn on pool no redundancy = false
osd data = ${folder}/osd
osd objectstore = memstore
osd crush update on start = false
osd class update on start = false
memstore device bytes = ${storeBytes}
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
rgw frontends = beast endpoint=127.0.0.1:${port}
`;
