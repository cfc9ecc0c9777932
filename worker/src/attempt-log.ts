/**
 * Sends a container's output to the server: in pieces, in order, with secrets masked, up to a
 * limit. A container that writes faster than the server accepts is slowed down (back-pressure), so
 * memory is bounded.
 */
import { stripVTControlCharacters } from 'node:util';
import type { Client } from '@cogworks/sdk/client';
import { maskSecrets } from './masking/mask.ts';
import { retryCall } from './retry.ts';

const pieceBytes = 256 * 1024;
const mostBytes = 10 * 1024 * 1024;
const flushAfter_ms = 500;
/** The last line is searched in this many bytes. */
const tailBytes = 2048;
const longestLine = 300;

export type AttemptLog = {
  write(chunk: Buffer): Promise<void> | undefined;
  /** Sends the rest. Never rejects: a lost log must not fail the work. */
  close(): Promise<void>;
  /** The last non-empty line, masked: it usually says why a program failed. */
  lastLine(): string | undefined;
};

export function openLog(
  client: Client,
  path: { id: number; attempt_id: number },
  lease_token: string,
  secrets: string[],
  stop: AbortSignal,
): AttemptLog {
  const mask = maskSecrets(secrets);
  let waiting: Buffer[] = [];
  let size = 0;
  let offset = 0;
  let taken = 0;
  let tail: Buffer = Buffer.alloc(0);
  let sending: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (size === 0) return sending;
    const bytes = Buffer.concat(waiting);
    waiting = [];
    size = 0;
    const body = { lease_token, start_offset: offset, data: bytes.toString('base64') };
    offset += bytes.length;
    sending = sending
      .then(() => retryCall(() => client.appendLog({ path, body }), stop))
      .catch(() => {});
    return sending;
  };
  const add = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    waiting.push(bytes);
    tail = Buffer.from(Buffer.concat([tail, bytes]).subarray(-tailBytes));
    size += bytes.length;
    timer ??= setTimeout(() => void flush(), flushAfter_ms);
  };

  return {
    write: (chunk) => {
      if (taken >= mostBytes) return undefined;
      const room = mostBytes - taken;
      taken += chunk.length;
      add(mask.push(chunk.subarray(0, room)));
      if (taken >= mostBytes) {
        // The bytes held back by the mask may begin a secret that is cut off here.
        mask.end();
        add(Buffer.from('\n[The log was cut here: it reached 10 MiB.]\n'));
      }
      return size >= pieceBytes ? flush() : undefined;
    },
    close: async () => {
      add(mask.end());
      await flush();
    },
    lastLine: () => {
      const lines = tail.toString().split(/[\r\n]+/);
      return lines.map(plain).findLast((line) => line !== '');
    },
  };
}

/** Without control sequences, control characters and bytes that are not UTF-8. */
const plain = (line: string) =>
  stripVTControlCharacters(line)
    .replace(/[\p{Cc}\ufffd]/gu, '')
    .trim()
    .slice(0, longestLine);
