/**
 * The process that makes previews: one after another, from standard input to standard output, until
 * the input ends. Started by maker.ts with bounds on memory, time and files, and without secrets.
 */
import { setPriority } from 'node:os';
import { headOf, readFrames } from './frames.ts';
import type { Kind } from './kinds.ts';

/** The server sends no more. */
const mostBytes = 2 ** 30;

function answer(head: Record<string, unknown>, body: Buffer = Buffer.alloc(0)): void {
  process.stdout.write(headOf(head, body.length));
  process.stdout.write(body);
}

try {
  setPriority(10);
} catch {
  // A sandbox may forbid it.
}
// The server is gone: nobody wants the rest.
process.stdout.on('error', () => process.exit(0));

const drawing = await import('./drawing.ts').catch((error: Error) => {
  answer({ off: error.message.slice(0, 300) });
  return undefined;
});
if (drawing) {
  answer({ ready: true });
  const next = readFrames(process.stdin, mostBytes);
  for (let frame = await next(); frame; frame = await next()) {
    const { kind, size } = frame.head as { kind: Kind; size: number };
    try {
      answer({}, await drawing.draw(kind, size, frame.body));
    } catch (error) {
      if (!(error instanceof drawing.NoPreview)) throw error;
      answer({ reason: error.reason });
    }
  }
}
