import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requireSameExecutor, requireSameServer } from './identity.ts';

describe('the identity of a worker', () => {
  const of = { id: 1, token: 'wkt', name: 'gpu-1', server: 'https://a.test' };

  it('is shown to the server that gave it, and to no other', () => {
    requireSameServer(of, 'https://a.test', '/srv/w');
    assert.throws(() => requireSameServer(of, 'https://b.test', '/srv/w'), /gpu-1 \(1\)/);
  });

  it('goes on with what ran its work before: containers, or nothing for a benchmark', () => {
    requireSameExecutor(of, 'podman', '/srv/w');
    requireSameExecutor({ ...of, executor: 'none' }, 'none', '/srv/w');
    assert.throws(() => requireSameExecutor(of, 'none', '/srv/w'), /does not go on with none/);
    assert.throws(
      () => requireSameExecutor({ ...of, executor: 'none' }, 'podman', '/srv/w'),
      /enrolled with COGWORKS_EXECUTOR=none/,
    );
  });
});
