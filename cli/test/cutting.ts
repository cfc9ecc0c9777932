/** A network to a server that breaks off in the middle of a download. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Cutting = AsyncDisposable & {
  url: string;
  /** When a download has been cut. */
  cut: Promise<void>;
  /** The `Range` of each download. */
  ranges: (string | undefined)[];
  /** Lets everything through from now on. */
  mend(): void;
};

type Options = {
  /** Bytes of a download before it is cut; never unless given. */
  after?: number;
  /** Whether nothing is let through after the cut until it is mended. */
  isDown?: boolean;
  /** Whether the cut leaves the connection open, so that what was sent still arrives. */
  hangs?: boolean;
  /** Called before each request is passed on. */
  onRequest?: (path: string) => Promise<void>;
};

export async function cutting(
  server: string,
  { after = Infinity, isDown = false, hangs = false, onRequest = async () => {} }: Options,
): Promise<Cutting> {
  const { promise: cut, resolve } = Promise.withResolvers<void>();
  const ranges: (string | undefined)[] = [];
  let state: 'up' | 'down' | 'mended' = 'up';
  const proxy = createServer(async (incoming, answer) => {
    await onRequest(incoming.url ?? '');
    if (state === 'down') return void incoming.socket.destroy();
    const isDownload = incoming.url?.includes('/download') === true;
    if (isDownload) ranges.push(incoming.headers.range);
    const { method, headers } = incoming;
    const outgoing = request(server + incoming.url, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      let left = isDownload && state === 'up' ? after : Infinity;
      response.on('data', (chunk: Buffer) => {
        if (answer.destroyed) return;
        if (chunk.length <= left) {
          left -= chunk.length;
          answer.write(chunk);
          return;
        }
        if (isDown) state = 'down';
        if (hangs) {
          answer.write(chunk.subarray(0, left), () => resolve());
          response.pause();
          return;
        }
        // What was written before still goes out.
        answer.write(chunk.subarray(0, left), () => {
          answer.socket?.end(() => resolve());
          response.destroy();
        });
        left = Infinity;
      });
      response.on('end', () => answer.end());
      response.on('error', () => answer.destroy());
    });
    outgoing.on('error', () => answer.destroy());
    incoming.on('error', () => outgoing.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.on('data', (chunk) => outgoing.write(chunk));
    incoming.on('end', () => outgoing.end());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    ranges,
    mend: () => {
      state = 'mended';
    },
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
