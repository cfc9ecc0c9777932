import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';

const isMissing = spawnSync('openssl', ['version']).error !== undefined;
const run = promisify(execFile);

describe('a guarded call by TLS', { skip: isMissing && 'there is no openssl' }, async () => {
  if (isMissing) return;
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-tls-'));
  after(() => rm(dir, { recursive: true, force: true }));
  const [keyFile, certFile] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
  const name = '/CN=hooks.example';
  const subject = ['-subj', name, '-addext', 'subjectAltName=DNS:hooks.example'];
  const files = ['-keyout', keyFile, '-out', certFile];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject]);
  const settings = { key: await readFile(keyFile), cert: await readFile(certFile) };
  const hosts: (string | undefined)[] = [];
  const server = createServer(settings, (request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;

  /** What a program comes to that trusts this certificate, or does not. */
  const outcomeAt = async (host: string, env: NodeJS.ProcessEnv) => {
    const script = `
      import { guardedCall } from ${JSON.stringify(import.meta.resolve('./guarded-call.ts'))};
      const outcome = await guardedCall(new URL('https://${host}:${port}/'), {
        method: 'POST', isAllowed: () => true, resolve: async () => ['127.0.0.1'],
        signal: AbortSignal.timeout(10_000),
      }).then((answer) => answer.resume().statusCode, ({ code }) => code);
      console.log(outcome);
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, ...env },
    });
    return stdout.trim();
  };

  it('asks for the certificate of the name, by an authority that is trusted', async () => {
    const trusting = { NODE_EXTRA_CA_CERTS: certFile };
    assert.equal(await outcomeAt('hooks.example', trusting), '204');
    assert.equal(await outcomeAt('other.example', trusting), 'ERR_TLS_CERT_ALTNAME_INVALID');
    assert.equal(await outcomeAt('hooks.example', {}), 'DEPTH_ZERO_SELF_SIGNED_CERT');
    assert.deepEqual(hosts, [`hooks.example:${port}`]);
  });
});
