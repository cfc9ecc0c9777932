/** Keeps a log and looks in it, in a thread of its own. */
import { LogLines } from './log-lines.ts';

export type Request =
  | { kind: 'append'; piece: Uint8Array }
  | { kind: 'lines'; from: number; to: number }
  | { kind: 'some'; numbers: Uint32Array }
  | { kind: 'find'; query: string }
  | { kind: 'text'; numbers: Uint32Array | undefined }
  | { kind: 'blob' };

const log = new LogLines();

function answer(request: Request): unknown {
  switch (request.kind) {
    case 'append':
      return log.append(request.piece);
    case 'lines':
      return log.lines(request.from, request.to);
    case 'some':
      return Array.from(request.numbers, (number) => log.lines(number, number + 1)[0]);
    case 'find':
      return log.find(request.query);
    case 'text':
      return log.text(request.numbers);
    case 'blob':
      return new Blob([...log.pieces] as BlobPart[], { type: 'text/plain' });
  }
}

addEventListener('message', ({ data }: MessageEvent<{ id: number; request: Request }>) => {
  postMessage({ id: data.id, result: answer(data.request) });
});
