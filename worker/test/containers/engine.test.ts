import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ensureContainerEngine } from '../../../tools/containers/setup.ts';
import { openEngine, removeEngine } from '../../src/containers/engine.ts';
import { shortEnough, writeEngineFiles } from '../../src/containers/engine-files.ts';
import { runArguments } from '../../src/containers/run-arguments.ts';
import { makeStrict } from '../../src/containers/seccomp.ts';
import type { EngineReport, RunSpec } from '../../src/containers/types.ts';
import { userRanges } from '../../src/containers/user-ranges.ts';
import { forget } from './fixture.ts';

const top = await mkdtemp(join(tmpdir(), 'cogworks-engine-'));
after(() => forget(top));

describe('an engine that is not there', () => {
  it('is reported with what to type', async () => {
    const { engine, report } = await openEngine({
      state_dir: join(top, 'state'),
      run_dir: join(top, 'run'),
      installation: 'test',
      command: '/no/such/podman',
    });

    assert.equal(engine, null);
    assert.equal(report.usable, false);
    assert.match(report.problem ?? '', /podman does not work here/);
    assert.match(report.remedy ?? '', /^sudo apt-get install .*podman/);
  });

  it('is not asked for the packages of its programs, which would take a second', async () => {
    const command = join(top, 'tells-where');
    await writeFile(command, '#!/bin/sh\ncommand -v dpkg-query >&2\nexit 1\n', { mode: 0o700 });
    const options = { state_dir: join(top, 'asked'), run_dir: join(top, 'run'), installation: 'x' };

    const { report } = await openEngine({ ...options, command });

    const known = join(options.state_dir, 'without-packages/dpkg-query');
    assert.equal(report.problem, `podman does not work here: ${known}`);
    await assert.rejects(promisify(execFile)(known, ['--search', '--', '/usr/bin/podman']));
  });

  it('is looked for, and never installed unasked', async () => {
    const report = await ensureContainerEngine({ install: false, log: assert.fail });

    assert.deepEqual(report.installed, []);
    if (!report.ready) assert.match(report.remedy ?? '', /podman/);
  });
});

describe("the engine's folder for secrets", () => {
  it('is private, and empty at the start whatever a killed worker left', async (t) => {
    const options = { state_dir: join(top, 'killed'), installation: 'test' };
    const { private_dir } = await writeEngineFiles(options, 'overlay');
    await mkdir(join(private_dir, 'run-1'));
    await writeFile(join(private_dir, 'run-1', 'env'), 'PARAM_TOKEN=secret');

    const again = await writeEngineFiles(options, 'overlay');
    t.after(() => removeEngine(options));

    assert.equal(again.private_dir, private_dir);
    assert.deepEqual(await readdir(private_dir), []);
    assert.equal((await stat(private_dir)).mode & 0o777, 0o700);
  });
});

describe("the engine's folder for what runs", () => {
  const deep = `/home/someone/${'deep/'.repeat(10)}run`;

  it('stays where it is wanted when its name is short', async () => {
    assert.equal(await shortEnough('/home/me/data/run', 'x'), '/home/me/data/run');
  });

  it('is elsewhere, and private, when podman would find its name too long', async (t) => {
    const name = `cogworks-${randomBytes(6).toString('hex')}`;
    const folder = await shortEnough(deep, name);
    t.after(() => rm(folder, { recursive: true, force: true }));

    assert.ok(`${folder}/storage`.length <= 50, folder);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal(await shortEnough(deep, name), folder);
  });

  it('is never one that somebody else has laid there', async (t) => {
    const name = `cogworks-${randomBytes(6).toString('hex')}`;
    const link = `/tmp/podman-run-${name}`;
    await symlink(top, link);
    t.after(() => rm(link));

    await assert.rejects(shortEnough(deep, name), /belongs to somebody else/);
  });
});

describe('the arguments of a run', () => {
  const report: EngineReport = {
    kind: 'podman',
    command: '/usr/bin/podman',
    version: '4.3.1',
    usable: true,
    rootless: false,
    cgroup_version: 1,
    limits: { memory: true, cpu: true, pids: true },
    network: true,
    user_ranges: true,
    warnings: [],
  };
  const spec: RunSpec = {
    name: 'cogworks-1',
    image_id: 'f'.repeat(64),
    command: ['tool', '--rm', 'sh'],
    env: { PARAM_KEY: 'secret-value', PARAM_PEM: 'secret\nlines' },
    run_id: '1',
    attempt_id: '2',
    workspace: {
      root: '/w',
      private_root: '/m',
      inputs: '/w/in,"x',
      outputs: '/w/out',
      params: '/w/p',
      progress: '/w/g',
    },
    resources: { cpu: 0.5, memory_mb: 256, gpu: 0, disk_mb: 100 },
    timeout_seconds: 60,
    network: 'none',
  };
  const around = {
    report,
    installation: 'i',
    seccomp: '/s.json',
    cgroup_parent: '/c/1',
    pid_file: '/r/pid',
    id_file: '/r/id',
    env_file: '/r/env',
    user_range: 0x7000_0000,
    has_init: true,
    open_files: 1024,
  };

  it('never hold a secret, and keep the program behind the image', () => {
    const args = runArguments(spec, around);

    assert.doesNotMatch(args.join(' '), /secret/);
    assert.deepEqual(args.slice(-3), [spec.image_id, '--rm', 'sh']);
    assert.ok(
      args.includes('type=bind,"src=/w/in,""x",dst=/data/inputs,bind-propagation=rprivate,ro=true'),
    );
  });

  it('give the container user ids of its own', () => {
    const args = runArguments(spec, around).join(' ');

    assert.match(args, /--uidmap 0:1879048192:65536 --gidmap 0:1879048192:65536/);
    assert.doesNotMatch(runArguments(spec, { ...around, user_range: null }).join(' '), /uidmap/);
  });

  it('leave out only the limits that the machine does not have', () => {
    const none = { memory: false, cpu: false, pids: false };
    const args = runArguments(spec, { ...around, report: { ...report, limits: none } });

    assert.ok(runArguments(spec, around).includes('--memory=256m'));
    assert.equal(
      args.some((word) => /^--(memory|cpus)/.test(word)),
      false,
    );
    assert.ok(args.includes('--pids-limit=0'));
    assert.ok(args.includes('--cap-drop=ALL'));
  });
});

describe('ranges of user ids', () => {
  it('are never those of another running container', () => {
    const ranges = userRanges('some installation');
    const starts = Array.from({ length: 4096 }, () => ranges.take());

    assert.equal(new Set(starts).size, 4096);
    assert.ok(starts.every((start) => start >= 0x7000_0000 && start + 65_535 < 2 ** 31));
    assert.throws(() => ranges.take());
    ranges.giveBack(starts[7] ?? 0);
    assert.equal(ranges.take(), starts[7]);
  });
});

describe('the stricter list of system calls', () => {
  it('allows nothing that makes namespaces, mounts or reaches the hypervisor', () => {
    const { syscalls } = makeStrict({
      defaultAction: 'SCMP_ACT_ERRNO',
      syscalls: [
        {
          names: ['read', 'clone', 'clone3', 'mount', 'unshare', 'socket', 'keyctl'],
          action: 'SCMP_ACT_ALLOW',
        },
      ],
    });

    const allowed = syscalls.filter((rule) => rule.action === 'SCMP_ACT_ALLOW');
    const freely = allowed.filter((rule) => !rule.args).flatMap((rule) => rule.names);
    assert.deepEqual(freely, ['read']);
    assert.deepEqual(
      allowed.filter((rule) => rule.args).flatMap((rule) => rule.names),
      ['clone', 'socket'],
    );
  });
});
