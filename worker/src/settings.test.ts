import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { WorkerProblem } from './problems.ts';
import { readSettings, usage } from './settings.ts';

const url = 'https://cogworks.test';

describe('the settings of a worker', () => {
  it('are a folder and a name of its own, where nothing else is said', () => {
    const settings = readSettings([], { COGWORKS_URL: `${url}/` });

    assert.equal(settings?.base_url, url);
    assert.equal(settings?.name, hostname());
    assert.equal(settings?.state_dir, resolve('data/workers', hostname()));
    assert.deepEqual(settings?.labels, []);
    assert.equal(settings?.server, url);
    assert.equal(settings?.registry_allow.own, 'cogworks.test');
    assert.equal(settings?.registry_allow.own_is_plain, false);
  });

  it('speak with the registry of the server as the server is spoken with from outside', () => {
    const given = (env: NodeJS.ProcessEnv) => {
      const { own, own_is_plain } = readSettings([], env)?.registry_allow ?? {};
      return [own, own_is_plain];
    };
    const lan = 'http://10.0.0.1:8080';

    assert.deepEqual(given({ COGWORKS_URL: lan }), ['10.0.0.1:8080', true]);
    // A worker on the server's machine calls it directly.
    const env = { COGWORKS_URL: lan, COGWORKS_REGISTRY: url };
    assert.deepEqual(given(env), ['cogworks.test', false]);
  });

  it('are the arguments before the environment', () => {
    const args = ['--url', url, '--name', 'gpu 1', '--labels', 'gpu, big,'];
    const settings = readSettings(args, {
      COGWORKS_URL: 'https://other.test',
      COGWORKS_WORKER_NAME: 'other',
      COGWORKS_WORKER_LABELS: 'other',
    });

    assert.equal(settings?.base_url, url);
    assert.equal(settings?.name, 'gpu 1');
    assert.deepEqual(settings?.labels, ['gpu', 'big']);
    assert.equal(settings?.state_dir, resolve('data/workers/gpu-1'));
    assert.equal(readSettings([...args, '--dir', '/srv/w'], {})?.state_dir, '/srv/w');
  });

  it('never lead out of the folder of workers, whatever the name', () => {
    for (const name of ['..', '../..', '/etc', '.', 'a/../../b', '…']) {
      const dir = readSettings(['--name', name], { COGWORKS_URL: url })?.state_dir ?? '';
      assert.match(dir.slice(resolve('data/workers').length), /^\/[^/]+$/, name);
    }
  });

  it('run containers, unless a benchmark on this machine says that nothing is to be run', () => {
    const local = { COGWORKS_URL: 'http://127.0.0.1:8080' };
    assert.equal(readSettings([], local)?.executor, 'podman');
    assert.equal(readSettings([], { ...local, COGWORKS_EXECUTOR: '' })?.executor, 'podman');

    const none = readSettings(['--labels', 'a'], { ...local, COGWORKS_EXECUTOR: 'none' });
    assert.equal(none?.executor, 'none');
    assert.deepEqual(none?.labels, ['a', 'runs-nothing']);
  });

  it('need nothing to be explained', () => {
    assert.equal(readSettings(['--help'], {}), undefined);
    for (const name of ['NAME', 'LABELS', 'DIR']) assert.match(usage, new RegExp(`WORKER_${name}`));
  });

  it('tell all faults at once', () => {
    const env = { COGWORKS_URL: 'x', COGWORKS_ENROLLMENT_TOKEN: 'sk_1', EGRESS_ALLOW: 'y' };
    assert.throws(
      () => readSettings([], env),
      /begins with http:.*\n.*begins with wet_.*\nEGRESS_ALLOW is/,
    );
  });

  const faults: [string, string[], Record<string, string>, RegExp][] = [
    ['no URL', [], {}, /^COGWORKS_URL must be set/],
    ['no URL at all', [], { COGWORKS_URL: 'localhost' }, /begins with http:/],
    ['another protocol', ['--url', 'ftp://x'], {}, /begins with http:/],
    ['an unknown option', ['--token', 'x'], {}, /^Unknown option '--token'/],
    ['a word too many', ['start'], {}, /^Unexpected argument 'start'/],
    [
      'another kind of token',
      ['--url', url],
      { COGWORKS_ENROLLMENT_TOKEN: 'sk_1' },
      /begins with wet_/,
    ],
    [
      'an executor that there is not',
      ['--url', url],
      { COGWORKS_EXECUTOR: 'docker' },
      /podman, or none for a benchmark; "docker" is neither/,
    ],
    [
      'running nothing for a server elsewhere',
      ['--url', url],
      { COGWORKS_EXECUTOR: 'none' },
      /reports success without running anything/,
    ],
  ];
  for (const [fault, args, env, words] of faults) {
    it(`say what is wrong with ${fault}`, () => {
      assert.throws(
        () => readSettings(args, env),
        (error) => {
          assert.ok(error instanceof WorkerProblem);
          assert.equal(error.exit_code, 2);
          assert.match(error.message, words);
          return true;
        },
      );
    });
  }
});
