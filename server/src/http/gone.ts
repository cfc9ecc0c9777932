/** Detects that the client has disconnected before its request was answered. */
import type { FastifyReply } from 'fastify';

/** Created once: the default abort reason would capture a stack for every request. */
const hasGone = new Error('The client has gone.');

/** @returns a signal, aborted if the connection ends before the answer was sent. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!raw.writableEnded) gone.abort(hasGone);
  };
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return gone.signal;
}
