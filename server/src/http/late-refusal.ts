/** Refusing a request while its body is still being received. */
import type { IncomingMessage } from 'node:http';

/** How long the rest of a body is read after a refusal, so that the client can read the answer. */
const linger_ms = 30_000;

/** Reads and discards the rest of a body: a client that is cut off loses the answer. */
export function discardRest(request: IncomingMessage): void {
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), linger_ms).unref();
  request.once('close', () => clearTimeout(timer));
}
