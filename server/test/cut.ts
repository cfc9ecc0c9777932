/** A line to the database that a test can cut: a relay on loopback that lets go of everything. */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { type Connection, connect } from '../src/db/connection.ts';
import type { TestServer } from './server.ts';

export type Line = {
  db: Connection;
  cut(): Promise<void>;
  mend(): Promise<void>;
};

/** The server's database over a line of its own; closed with the server. */
export async function cuttable(server: TestServer): Promise<Line> {
  const { to } = server;
  const url = 'url' in to ? new URL(to.url) : undefined;
  const far = url
    ? { host: url.hostname, port: Number(url.port || 5432) }
    : { path: `${'host' in to ? to.host : ''}/.s.PGSQL.${'port' in to ? to.port : ''}` };
  const sockets = new Set<Socket>();
  let relay: Server;
  let port = 0;

  const mend = async () => {
    relay = createServer((near) => {
      const other = dial(far);
      for (const [socket, peer] of [
        [near, other],
        [other, near],
      ] as const) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          sockets.delete(socket);
          peer.destroy();
        });
        socket.pipe(peer);
      }
    });
    await new Promise<void>((ready) => relay.listen(port, '127.0.0.1', ready));
    port = (relay.address() as { port: number }).port;
  };
  const cut = async () => {
    const closed = new Promise((done) => relay.close(done));
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await mend();
  const here = { host: '127.0.0.1', port };
  const db = url
    ? connect({ url: Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href }, { max: 2 })
    : connect({ ...to, ...here } as Parameters<typeof connect>[0], { max: 2 });
  server.beforeStop(async () => {
    await db.close();
    await cut();
  });
  return { db, cut, mend };
}
