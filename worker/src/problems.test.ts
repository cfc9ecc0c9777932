import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { testServer } from '../../server/test/server.ts';
import { requireServer } from './problems.ts';

const running: Server[] = [];
const sockets = new Set<Socket>();
after(() => {
  for (const server of running) server.close();
  // Clients keep some open.
  for (const socket of sockets) socket.destroy();
});

async function portOf(server: Server): Promise<number> {
  running.push(server);
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}
const webServer = async (answer: RequestListener) =>
  `http://127.0.0.1:${await portOf(createServer(answer))}`;

async function words(url: string): Promise<string> {
  return requireServer(url).then(
    () => 'fine',
    (error: Error) => error.message,
  );
}

describe('a server is told from what is none', () => {
  it('that answers', async () => {
    assert.equal(await words((await testServer()).url), 'fine');
  });

  it('where nobody listens', async () => {
    const server = createTcpServer();
    const port = await portOf(server);
    await new Promise((done) => server.close(done));

    assert.match(
      await words(`http://127.0.0.1:${port}`),
      /refuses connections\. Does the server run/,
    );
  });

  it('where the name is unknown', async () => {
    assert.match(await words('http://nowhere.invalid'), /^The name nowhere\.invalid is not known/);
  });

  it('by a path too many, another program, or a redirect', async () => {
    assert.match(await words(`${(await testServer()).url}/app`), /without a path such as \/app/);
    const other = await webServer((_request, response) => response.end('<h1>Welcome</h1>'));
    assert.match(await words(other), /not as a Cogworks server does \(status 200\)/);
    const moved = await webServer((_request, response) =>
      response.writeHead(301, { location: 'https://cogworks.test/healthz' }).end(),
    );
    assert.match(await words(moved), /leads to https:\/\/cogworks\.test\/healthz/);
  });

  it('by TLS where there is none, and the other way round', async () => {
    const plain = await webServer((_request, response) => response.end());
    assert.match(await words(plain.replace('http:', 'https:')), /does not speak TLS/);
    const mute = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    assert.match(await words(`http://127.0.0.1:${await portOf(mute)}`), /does not speak HTTP/);
  });

  const skip = !existsSync('/usr/bin/openssl') && 'there is no openssl to make a certificate';
  it('by a certificate that nobody vouches for', { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cogworks-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject];
    execFileSync('/usr/bin/openssl', [...args, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
    rmSync(folder, { recursive: true });

    assert.match(
      await words(`https://127.0.0.1:${await portOf(server)}`),
      /authority that is not known here.*NODE_EXTRA_CA_CERTS/,
    );
  });
});
