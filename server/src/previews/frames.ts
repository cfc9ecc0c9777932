/**
 * What the server and the process that makes previews send each other: a line of JSON, and as many
 * bytes as it says.
 */
import type { Readable } from 'node:stream';

export type Frame = { head: Record<string, unknown>; body: Buffer };

const longestHead = 1000;

/** The line of a frame whose `bytes` bytes follow. */
export const headOf = (head: Record<string, unknown>, bytes: number): string =>
  `${JSON.stringify({ ...head, bytes })}\n`;

/**
 * @returns a function that reads the next frame; undefined at the end of the stream.
 * @throws Error if it is malformed, cut off, or has more than `most` bytes.
 */
export function readFrames(from: Readable, most: number): () => Promise<Frame | undefined> {
  const chunks: AsyncIterator<Buffer> = from[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (!done) rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    return !done;
  }

  async function head() {
    let end = rest.indexOf(10);
    while (end < 0) {
      if (rest.length > longestHead) throw new Error('A frame has too long a head.');
      if (!(await more())) return undefined;
      end = rest.indexOf(10);
    }
    const line = JSON.parse(rest.subarray(0, end).toString()) as Frame['head'];
    rest = rest.subarray(end + 1);
    return line;
  }

  return async () => {
    const line = await head();
    if (!line) return undefined;
    const size = Number(line.bytes);
    if (!Number.isInteger(size) || size < 0 || size > most)
      throw new Error('A frame has no valid size.');
    const body = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      if (rest.length === 0 && !(await more())) throw new Error('A frame was cut off.');
      const taken = rest.copy(body, filled, 0, size - filled);
      rest = rest.subarray(taken);
      filled += taken;
    }
    return { head: line, body };
  };
}
