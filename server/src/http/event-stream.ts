/** An answer that stays open: server-sent events. What they say, and when, is not known here. */
import type { FastifyReply } from 'fastify';

export type EventStream = {
  /** Sends pieces, together. */
  send(pieces: readonly Uint8Array[]): void;
  end(): void;
};

/**
 * Answers with a stream of events, which takes the response out of Fastify's hands.
 *
 * @param most_bytes that may still wait for a client when more comes. One that reads too slowly is cut, and may come back.
 * @param onClose is called once, however the stream ends.
 */
export function openEventStream(
  reply: FastifyReply,
  most_bytes: number,
  onClose: () => void,
): EventStream {
  const { raw } = reply;
  reply.hijack();
  // A client that left while it was asked who it is has told so already.
  if (raw.destroyed) queueMicrotask(onClose);
  else raw.once('close', onClose);
  // Of a connection that is gone `close` tells enough.
  raw.on('error', () => {});
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Of nginx: it would keep events until there are many.
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  return {
    send: (pieces) => {
      if (raw.destroyed || raw.writableEnded) return;
      // Looked at before: much at once is fine, when what came before it has gone.
      if (raw.writableLength > most_bytes) return void raw.destroy();
      raw.cork();
      for (const piece of pieces) raw.write(piece);
      raw.uncork();
    },
    end: () => void raw.end(),
  };
}
