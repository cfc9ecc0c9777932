/**
 * Ends requests whose body arrives too slowly: each holds a connection and buffered bytes. Time in
 * which we do not read (a busy disk) does not count against the client.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BodyPace } from '../limits.ts';

/** How much of a body has arrived, and how long it took. */
export type Progress = {
  /** Time in which the client could have sent, and how much of it passed since the last byte. */
  waited_ms: number;
  still_ms: number;
  bytes: number;
  /** An upload, which may take as long as bytes keep arriving. */
  streams: boolean;
};

/** Why a body arrives too slowly, as a sentence for the client; undefined if it does not. Pure. */
export function slowness(
  { waited_ms, still_ms, bytes, streams }: Progress,
  pace: BodyPace,
): string | undefined {
  if (!streams) {
    if (waited_ms <= pace.whole_ms) return undefined;
    return `The body has to be here within ${seconds(pace.whole_ms)}.`;
  }
  if (still_ms > pace.still_ms) return `No byte came for ${seconds(pace.still_ms)}.`;
  const wanted = (pace.bytes_per_second * (waited_ms - pace.grace_ms)) / 1000;
  if (bytes >= wanted) return undefined;
  return `The body comes at less than ${pace.bytes_per_second} bytes a second.`;
}

const seconds = (time_ms: number) => `${time_ms / 1000} s`;

type Watched = Progress & { request: FastifyRequest; reply: FastifyReply; seen: number };

/** Watches every body until its last byte, including during and after an early answer. */
export function watchBodies(app: FastifyInstance, pace: BodyPace): void {
  const bodies = new Set<Watched>();
  const timer = setInterval(() => {
    for (const body of bodies) look(body, pace);
  }, pace.look_every_ms).unref();
  app.addHook('onClose', async () => clearInterval(timer));

  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (encoding === undefined && length === '0') return;
    const body: Watched = {
      ...{ request, reply, seen: raw.socket.bytesRead },
      ...{ waited_ms: 0, still_ms: 0, bytes: 0 },
      streams: request.routeOptions.config?.body === 'stream',
    };
    bodies.add(body);
    const forget = () => bodies.delete(body);
    raw.once('end', forget).once('close', forget);
  });
}

function look(body: Watched, pace: BodyPace) {
  const { raw } = body.request;
  const came = raw.socket.bytesRead - body.seen;
  body.seen += came;
  body.bytes += came;
  // Our buffer is full, so the delay is ours.
  if (raw.readableLength >= raw.readableHighWaterMark) return;
  body.waited_ms += pace.look_every_ms;
  body.still_ms = came > 0 ? 0 : body.still_ms + pace.look_every_ms;
  const sentence = slowness(body, pace);
  if (sentence !== undefined) cutOff(body, sentence);
}

/** Writes an answer directly to the socket if none was begun, and closes the connection. */
function cutOff({ request, reply }: Watched, detail: string) {
  request.log.info({ detail }, 'a body came too slowly');
  const { socket } = request.raw;
  if (!reply.raw.headersSent) {
    const text = JSON.stringify({ detail });
    const head = [
      'HTTP/1.1 408 Request Timeout',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  }
  socket.destroySoon();
}
