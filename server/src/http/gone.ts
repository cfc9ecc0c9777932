/** Whether the client of a request has gone before it was answered. */
import type { FastifyReply } from 'fastify';

/** Made once: the usual reason of an abort records where it was made, for every request. */
const hasGone = new Error('The client has gone.');

/** @returns aborted when the connection ends before the answer was sent. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!raw.writableEnded) gone.abort(hasGone);
  };
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return gone.signal;
}
