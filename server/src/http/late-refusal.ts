/** Refusing a request whose body is still on its way. */
import type { IncomingMessage } from 'node:http';

/** A client that is still sending after a refusal is listened to that long, so it can read it. */
const linger_ms = 30_000;

/** Lets a refused client finish sending, to nowhere: one that is cut off loses the answer. */
export function discardRest(request: IncomingMessage): void {
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), linger_ms).unref();
  request.once('close', () => clearTimeout(timer));
}
