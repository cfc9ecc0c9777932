import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workerEnvironment } from './worker-environment.ts';

describe("a local worker's environment", () => {
  it("holds none of the server's keys, and what containers and networks need", () => {
    const env = workerEnvironment(
      {
        PATH: '/bin',
        HTTPS_PROXY: 'http://proxy:3128',
        NODE_COMPILE_CACHE: '/cache',
        MASTER_KEY: 'key',
        DATABASE_URL: 'postgres://user:password@host/db',
        ADMIN_PASSWORD: 'password',
        OIDC_CLIENT_SECRET: 'secret',
        COGWORKS_ENROLLMENT_TOKEN: "somebody else's",
        ANYTHING: 'new',
      },
      { COGWORKS_URL: 'http://127.0.0.1:1' },
      undefined,
    );

    assert.deepEqual(env, {
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy:3128',
      NODE_COMPILE_CACHE: '/cache',
      COGWORKS_URL: 'http://127.0.0.1:1',
    });
  });

  it('tells which registry is that of the server, which it calls by another address', () => {
    const given = (baseUrl: string | undefined) =>
      workerEnvironment({}, {}, baseUrl).COGWORKS_REGISTRY;

    assert.equal(given('https://cogworks.example/'), 'https://cogworks.example');
    assert.equal(given('http://localhost:8080'), 'http://localhost:8080');
    assert.equal(given(undefined), undefined);
  });

  it('closes loopback registries where others use the server, unless its operator opens them', () => {
    const given = (baseUrl: string, env = {}) => workerEnvironment(env, {}, baseUrl).REGISTRY_ALLOW;

    assert.equal(given('https://cogworks.example'), '');
    assert.equal(given('https://cogworks.example', { REGISTRY_ALLOW: 'loopback' }), 'loopback');
    assert.equal(given('http://localhost:8080'), undefined);
  });
});
