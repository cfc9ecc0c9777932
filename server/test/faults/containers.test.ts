/** Failing containers, and the messages that the user who started the run gets. */
import assert from 'node:assert/strict';
import type { Dirent } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { endOf, type Installation, openInstallation } from '../installation.ts';
import { until } from '../until.ts';
import { mappedGraph } from '../workflows.ts';
import { alone, aNode, obeys, run, runningAttempt, say } from './obedient.ts';
import { containersOf } from './processes.ts';

const opened = await openInstallation();
// `npm test` says so when it starts; the worker warns too.
const withoutLimits = process.getuid?.() === 0 ? false : 'without root there are no limits here';
const skip = typeof opened === 'string' && opened;
const installation = opened as Installation;

after(() => skip || installation.close());

/** Runs one node to its end. @returns the run, and its only node run. */
async function ran(script: string, over: object = {}) {
  const graph = alone(await aNode(installation, script, over));
  const ended = await endOf(installation, await run(installation, graph));
  return { run: ended, node: ended.node_runs[0] };
}

async function logOf(runId: number, nodeRunId: number) {
  const path = `/workflows/workflow-runs/${runId}/node-runs/${nodeRunId}/logs`;
  return (await installation.admin.get(path)).body;
}

describe('with real containers', { skip, concurrency: 4 }, () => {
  describe('a run tells', { concurrency: 4 }, () => {
    it('that the registry refused the password, and names it', async () => {
      const { admin, registry, image } = installation;
      // The same registry by its other name, so that only this test has the wrong password.
      const server = registry.server.replace('127.0.0.1', 'localhost');
      const stored = await admin.post('/secrets', {
        name: 'WRONG',
        kind: 'registry',
        value: { server, username: registry.credentials.username, password: 'guessed-at' },
      });
      assert.equal(stored.status, 201);

      const { run, node } = await ran('true', { image: image.replace(registry.server, server) });

      assert.equal(run.status, 'failure');
      assert.equal(node.error_class, 'registry_auth');
      assert.equal(node.attempt, 1);
      const why = `The registry ${server} refused the stored credentials for the image tools/busybox:1.`;
      assert.equal(node.error_message, why);
      assert.equal(run.error_message, `only failed: ${why}`);
    });

    it('that there is no such image', async () => {
      const { registry } = installation;

      const { run, node } = await ran('true', { image: `${registry.server}/tools/absent:7` });

      assert.equal(run.status, 'failure');
      assert.equal(node.error_class, 'image_not_found');
      assert.equal(
        run.error_message,
        `only failed: The registry ${registry.server} has no image tools/absent:7.`,
      );
    });

    it('the exit code of a program, and its last words are in the log', async () => {
      const { run, node } = await ran('echo one; echo "no such page: 7" >&2; exit 3');

      assert.equal(run.status, 'failure');
      assert.equal(run.error_message, 'only failed: exit code 3');
      assert.deepEqual([node.exit_code, node.error_class], [3, 'exit_nonzero']);
      const log = await logOf(run.id, node.id);
      assert.deepEqual(log.trim().split('\n').sort(), ['no such page: 7', 'one']);
    });

    it('that there is no such program', async () => {
      const { node } = await ran('', { command: ['/bin/absent'] });

      assert.deepEqual([node.exit_code, node.error_class], [127, 'exit_nonzero']);
    });

    it('that a declared output is missing, or that there are two', async () => {
      const [missing, two] = await Promise.all([
        ran('true'),
        ran('echo 1 > /data/outputs/a.txt; echo 2 > /data/outputs/b.txt'),
      ]);

      assert.deepEqual([missing.node.error_class, missing.node.exit_code], ['output_missing', 0]);
      assert.equal(
        missing.run.error_message,
        'only failed: The program ended well but left no file for the output "out" (*.txt).',
      );
      assert.deepEqual([two.node.error_class, two.node.exit_code], ['output_invalid', 0]);
      assert.equal(
        two.run.error_message,
        'only failed: The program left 2 files for the output "out" (*.txt), which takes one.',
      );
    });

    it('that memory ran out', { skip: withoutLimits }, async () => {
      const { run, node } = await ran('exec tail /dev/zero', {
        resources: { cpu: 0.5, memory_mb: 32, gpu: 0, disk_mb: 16 },
      });

      assert.deepEqual([node.exit_code, node.error_class], [137, 'oom']);
      assert.equal(run.error_message, 'only failed: exit code 137 (out of memory)');
      assert.match(node.error_message, /out of memory, it had 32 MB/);
    });

    it('that time ran out', async () => {
      const { run, node } = await ran('sleep 60', { timeout_seconds: 1 });

      assert.equal(node.error_class, 'timeout');
      assert.equal(node.error_message, 'It ran longer than 1 s.');
      assert.equal(run.error_message, 'only failed: exit code 143 (timed out)');
    });

    it('nothing to anybody else: a container has no network', async () => {
      const { run } = await ran('ls /sys/class/net > /data/outputs/net.txt');

      assert.equal(run.status, 'success');
      const [output] = run.run_files;
      const { body } = await installation.admin.get(`/cogs/${output.cog_id}/download`);
      assert.equal(Buffer.from(body).toString(), 'lo\n');
    });
  });

  describe('a program that asks for another try', () => {
    it('gets it, after a pause, and may succeed then', async () => {
      const definition = await aNode(installation, obeys, {
        retry: { max_attempts: 2, on: ['exit:75'] },
      });
      const runId = await run(installation, alone(definition));

      const first = await runningAttempt(installation, runId);
      await say(installation, first.id, 'echo first; exit 75');
      const second = await runningAttempt(installation, runId, first.id);
      await say(installation, second.id, 'echo second; echo well > /data/outputs/out.txt');
      const ended = await endOf(installation, runId);

      assert.equal(ended.status, 'success');
      assert.equal(ended.node_runs[0].attempt, 2);
      assert.equal(await logOf(runId, ended.node_runs[0].id), 'second\n');
      const [times] = await installation.db<{ pause: number }[]>`
        select extract(epoch from later.leased_at - earlier.finished_at)::float8 as pause
        from attempts as earlier, attempts as later
        where earlier.id = ${first.id} and later.id = ${second.id}
      `;
      assert.ok(times && times.pause >= 2.5 && times.pause < 20, `${times?.pause} s`);
    });

    it('gets none for another exit code', async () => {
      const { run, node } = await ran('exit 76', { retry: { max_attempts: 2, on: ['exit:75'] } });

      assert.equal(run.status, 'failure');
      assert.equal(node.attempt, 1);
    });
  });

  describe('a cancel', () => {
    it('ends a container that ignores SIGTERM within its grace, and leaves nothing', async () => {
      const { admin, dir } = installation;
      const runId = await run(installation, alone(await aNode(installation, obeys)));
      const { id } = await runningAttempt(installation, runId);
      await say(installation, id, 'trap "" TERM; echo deaf; while true; do sleep 0.1; done');
      const { node_runs } = (await admin.get(`/workflows/workflow-runs/${runId}`)).body;
      await until('it is deaf', async () => /deaf/.test(await logOf(runId, node_runs[0].id)));

      const began = performance.now();
      const cancelled = await admin.post(`/workflows/workflow-runs/${runId}/cancel`);
      const ended = await endOf(installation, runId);
      const took = performance.now() - began;

      assert.equal(cancelled.status, 200);
      assert.equal(ended.status, 'cancelled');
      // At least the grace period, but not the minutes until the server gives up a worker.
      assert.ok(took > 10_000 && took < 65_000, `${took} ms`);
      assert.deepEqual(await containersOf(dir, id), []);
      const folders = await readdir(join(dir, 'worker/attempts'));
      assert.equal(folders.includes(String(id)), false);
      assert.deepEqual(ended.run_files, []);
    });
  });

  describe('one bad file of twenty', () => {
    it('leaves the other nineteen results', async () => {
      const { admin } = installation;
      const names = Array.from({ length: 20 }, (_, index) => `file-${index}.dat`);
      const cogIds: number[] = [];
      for (const name of names) {
        const { body } = await admin.upload(name, name === 'file-7.dat' ? 'bad' : `good ${name}`);
        cogIds.push(body.id);
      }
      const definition = await aNode(
        installation,
        'if grep -q bad "$1"; then exit 4; fi; cp "$1" "/data/outputs/$2.txt"',
        {
          command: [
            ...['/bin/sh', '-c'],
            'if grep -q bad "$1"; then exit 4; fi; cp "$1" "/data/outputs/$2.txt"',
            ...['sh', '{{inputs.in.path}}', '{{file.stem}}'],
          ],
        },
      );

      const runId = await run(installation, mappedGraph(definition), cogIds);
      const ended = await endOf(installation, runId);

      assert.equal(ended.status, 'partial_success');
      assert.equal(ended.error_message, '1 of 20 files failed at each: exit code 4');
      const files = ended.run_files as { direction: string; status: string; name: string }[];
      const inputs = files.filter(({ direction }) => direction === 'input');
      assert.deepEqual(
        inputs
          .filter(({ status }) => status !== 'success')
          .map(({ name, status }) => [name, status]),
        [['file-7.dat', 'failure']],
      );
      const outputs = files.filter(({ direction }) => direction === 'output');
      assert.deepEqual(
        outputs.map(({ name }) => name).sort(),
        names
          .filter((name) => name !== 'file-7.dat')
          .map((name) => name.replace('.dat', '.txt'))
          .sort(),
      );
    });
  });
});

describe('the password of the registry', { skip }, () => {
  it('is in no log, no row, no file and no answer', async () => {
    const { admin, db, dir, lines, registry } = installation;
    const { username, password } = registry.credentials;
    const forms = [password, Buffer.from(`${username}:${password}`).toString('base64')];
    const holds = (text: string) => forms.some((form) => text.includes(form));

    assert.equal(lines.filter(holds).length, 0);
    assert.deepEqual(await columnsThat(holds), []);
    assert.deepEqual(await filesThat(dir, holds), []);
    for (const path of ['/secrets', '/workers', '/workflows/workflow-runs', '/audit-events']) {
      const { status, body } = await admin.get(path);
      assert.equal(status, 200);
      assert.equal(holds(JSON.stringify(body)), false, path);
    }
    const rows = await db<{ id: number }[]>`select id from workflow_runs`;
    assert.ok(rows.length > 5);
    for (const { id } of rows) {
      const { body } = await admin.get(`/workflows/workflow-runs/${id}`);
      assert.equal(holds(JSON.stringify(body)), false);
    }
  });
});

/** Every column of every table, as text. */
async function columnsThat(holds: (text: string) => boolean): Promise<string[]> {
  const { db } = installation;
  const tables = await db<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public'
  `;
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `select encode(convert_to(one::text, 'UTF8'), 'escape') as row from "${name}" as one`;
    // A table cannot be a parameter.
    const rows = await db<{ row: string }[]>(Object.assign([text], { raw: [text] }));
    // Bytes come as hexadecimal digits.
    const all = rows.map(({ row }) => row).join('\n');
    const bytes = [...all.matchAll(/\\x([0-9a-f]{8,})/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString('latin1'),
    );
    if (holds(all) || bytes.some(holds)) found.push(name);
  }
  return found;
}

/** Every file below a folder, the database's own among them. */
/** Every file but those of images, which without root belong to the container's users. */
async function filesThat(dir: string, holds: (text: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  const ours = {
    cwd: dir,
    withFileTypes: true,
    exclude: ({ name }: Dirent) => name === 'storage',
  } as const;
  for await (const entry of glob('**/*', ours)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'latin1').catch(() => '');
    if (holds(text)) found.push(path);
  }
  return found;
}
