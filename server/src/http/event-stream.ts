/** An answer that stays open: server-sent events. Knows nothing of their contents. */
import type { FastifyReply } from 'fastify';

export type EventStream = {
  /** Sends pieces in one write. */
  send(pieces: readonly Uint8Array[]): void;
  end(): void;
};

/**
 * Answers with a stream of events, bypassing Fastify's response handling.
 *
 * @param most_bytes that may be unsent when more is added. A client that reads too slowly is
 *   disconnected, and may reconnect.
 * @param onClose is called once, however the stream ends.
 */
export function openEventStream(
  reply: FastifyReply,
  most_bytes: number,
  onClose: () => void,
): EventStream {
  const { raw } = reply;
  reply.hijack();
  // If the client left while its credentials were checked, `close` has been emitted already.
  if (raw.destroyed) queueMicrotask(onClose);
  else raw.once('close', onClose);
  // When the connection is gone, `close` is enough.
  raw.on('error', () => {});
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // For nginx, which would otherwise buffer events.
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  return {
    send: (pieces) => {
      if (raw.destroyed || raw.writableEnded) return;
      // Checked before writing: a large write is fine if earlier ones have been sent.
      if (raw.writableLength > most_bytes) return void raw.destroy();
      raw.cork();
      for (const piece of pieces) raw.write(piece);
      raw.uncork();
    },
    end: () => void raw.end(),
  };
}
