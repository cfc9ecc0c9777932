/** Limits concurrent connections: each costs memory and a file descriptor. */
import type { FastifyInstance } from 'fastify';
import { addressKey } from '../client-addresses.ts';
import type { Config } from '../config.ts';
import type { Limits } from '../limits.ts';

/** Connections over a limit are closed at once. Behind a proxy all have the proxy's address. */
export function limitConnections(
  app: FastifyInstance,
  { trust_proxy }: Config,
  { in_all, per_address }: Limits['connections'],
): void {
  app.server.maxConnections = in_all;
  if (trust_proxy.length > 0) return;
  const open = new Map<string, number>();
  app.server.on('connection', (socket) => {
    const address = addressKey(socket.remoteAddress ?? '');
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    if (count > per_address) socket.destroy();
  });
}
