/** A connection to the database that a test can cut: a relay on loopback. */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { type Connection, type ConnectTo, connect } from '../src/db/connection.ts';
import type { TestServer } from './server.ts';

export type Line = {
  db: Connection;
  cut(): Promise<void>;
  mend(): Promise<void>;
};

/** The server's database through a separate relay; closed with the server. */
export async function cuttable(server: TestServer): Promise<Line> {
  const { url, cut, mend } = await relayTo(server.to);
  const db = connect({ url }, { max: 2 });
  server.beforeStop(async () => {
    await db.close();
    await cut();
  });
  return { db, cut, mend };
}

/**
 * A URL for a database, even one that has only a unix socket. Cutting also closes the relay.
 * `silence` keeps existing connections open but forwards nothing on them any more, as if a router
 * had forgotten them; new connections are not affected.
 *
 * @param change transforms what the server sends, to imitate a pooler.
 */
export async function relayTo(to: ConnectTo, change?: (bytes: Buffer) => Buffer) {
  const { far, url } = endsOf(to);
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
      }
      near.pipe(other);
      if (change) other.on('data', (bytes) => void near.write(change(bytes)));
      else other.pipe(near);
    });
    await new Promise<void>((ready) => relay.listen(port, '127.0.0.1', ready));
    port = (relay.address() as { port: number }).port;
  };
  const silence = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  const cut = async () => {
    const closed = new Promise((done) => relay.close(done));
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await mend();
  url.port = String(port);
  return { url: url.href, cut, mend, silence };
}

/** Where the database listens, and its URL except for the relay's port. */
function endsOf(to: ConnectTo) {
  if ('url' in to) {
    const url = new URL(to.url);
    const far = { host: url.hostname, port: Number(url.port || 5432) };
    url.hostname = '127.0.0.1';
    return { far, url };
  }
  const url = new URL(`postgres://127.0.0.1/${to.database}`);
  url.username = encodeURIComponent(to.user);
  url.password = encodeURIComponent(to.password);
  return { far: { path: `${to.host}/.s.PGSQL.${to.port}` }, url };
}
