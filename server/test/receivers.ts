/** Receivers of notices for tests: real HTTP servers on a loopback address. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { atEndOfFile } from './end-of-file.ts';

export type Received = {
  headers: Record<string, string>;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: what was really sent
  content: any;
};

export type Receiver = {
  url: string;
  /** All that came, in order. */
  received: Received[];
  /** How it answers from now on; null: not at all, until somebody hangs up. */
  answer: ((response: ServerResponse, request: IncomingMessage) => void) | null;
  /** How many requests wait for an answer. */
  open(): number;
  stop(): Promise<void>;
};

const running: Receiver[] = [];
atEndOfFile(() => Promise.all(running.splice(0).map((one) => one.stop())));

/** Answers 204 unless told otherwise. */
export async function receiver(
  answer: Receiver['answer'] = (response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const open = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    response.on('error', () => {});
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      return;
    }
    const body = Buffer.concat(parts).toString();
    const headers = request.headers as Record<string, string>;
    one.received.push({ headers, body, content: JSON.parse(body) });
    one.answer?.(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const one: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer,
    open: () => open.size,
    stop: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  running.push(one);
  return one;
}

/** Whether this secret has signed a message, as the library of Standard Webhooks says. */
export function isSignedBy(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

export const status =
  (code: number, headers: Record<string, string> = {}): NonNullable<Receiver['answer']> =>
  (response) =>
    response.writeHead(code, headers).end();
