/**
 * Counts round trips between a server and its database: stands between both, and counts how often a
 * connection speaks after it was last spoken to. Statements sent together are one trip.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TripCounter = {
  port: number;
  readonly trips: number;
  close(): void;
};

/** @param path the socket of the database. */
export async function openTripCounter(path: string): Promise<TripCounter> {
  let trips = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ path });
    let isWaiting = false;
    client.on('data', (bytes) => {
      if (!isWaiting) trips += 1;
      isWaiting = true;
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      isWaiting = false;
      client.write(bytes);
    });
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get trips() {
      return trips;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
