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

    assert.equal(settings?.baseUrl, url);
    assert.equal(settings?.name, hostname());
    assert.equal(settings?.stateDir, resolve('data/workers', hostname()));
    assert.deepEqual(settings?.labels, []);
    assert.equal(settings?.server, url);
  });

  it('are the arguments before the environment', () => {
    const args = ['--url', url, '--name', 'gpu 1', '--labels', 'gpu, big,'];
    const settings = readSettings(args, {
      COGWORKS_URL: 'https://other.test',
      COGWORKS_WORKER_NAME: 'other',
      COGWORKS_WORKER_LABELS: 'other',
    });

    assert.equal(settings?.baseUrl, url);
    assert.equal(settings?.name, 'gpu 1');
    assert.deepEqual(settings?.labels, ['gpu', 'big']);
    assert.equal(settings?.stateDir, resolve('data/workers/gpu-1'));
    assert.equal(readSettings([...args, '--dir', '/srv/w'], {})?.stateDir, '/srv/w');
  });

  it('never lead out of the folder of workers, whatever the name', () => {
    for (const name of ['..', '../..', '/etc', '.', 'a/../../b', '…']) {
      const dir = readSettings(['--name', name], { COGWORKS_URL: url })?.stateDir ?? '';
      assert.match(dir.slice(resolve('data/workers').length), /^\/[^/]+$/, name);
    }
  });

  it('need nothing to be explained', () => {
    assert.equal(readSettings(['--help'], {}), undefined);
    for (const name of ['NAME', 'LABELS', 'DIR']) assert.match(usage, new RegExp(`WORKER_${name}`));
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
