import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ensureContainerEngine } from '../../../tools/containers/setup.ts';
import { openEngine } from '../../src/containers/engine.ts';
import { shortEnough } from '../../src/containers/engine-files.ts';
import { runArguments } from '../../src/containers/run-arguments.ts';
import { makeStrict } from '../../src/containers/seccomp.ts';
import type { EngineReport, RunSpec } from '../../src/containers/types.ts';
import { forget } from './world.ts';

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

  it('is looked for, and never installed unasked', async () => {
    const report = await ensureContainerEngine({ install: false, log: assert.fail });

    assert.deepEqual(report.installed, []);
    if (!report.ready) assert.match(report.remedy ?? '', /podman/);
  });
});

describe("the engine's folder for what runs", () => {
  const deep = `/home/someone/${'deep/'.repeat(10)}run`;

  it('stays where it is wanted when its name is short', async () => {
    assert.equal(await shortEnough('/home/me/data/run', 'x'), '/home/me/data/run');
  });

  it('is elsewhere, and private, when podman would find its name too long', async () => {
    const name = `cogworks-${randomBytes(6).toString('hex')}`;
    const folder = await shortEnough(deep, name);
    after(() => rm(folder, { recursive: true, force: true }));

    assert.ok(`${folder}/storage`.length <= 50, folder);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal(await shortEnough(deep, name), folder);
  });

  it('is never one that somebody else has laid there', async () => {
    const name = `cogworks-${randomBytes(6).toString('hex')}`;
    const link = `/tmp/podman-run-${name}`;
    await symlink(top, link);
    after(() => rm(link));

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
    env_file: '/r/env',
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
