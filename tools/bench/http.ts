/**
 * HTTP requests of a driver. Leaner than fetch, because the driver shares the cores with the
 * server.
 */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 1024 });

export type Sent = { headers?: OutgoingHttpHeaders; body?: Buffer | string; signal?: AbortSignal };

/** One request; reads the whole answer. @throws Error for a status above 299. */
export function send(
  method: string,
  url: string,
  { headers, body, signal }: Sent = {},
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { method, agent, headers: { ...length, ...headers }, ...(signal && { signal }) };
  const sent = request(url, options, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('error', reject);
    response.once('end', () => {
      const answer = Buffer.concat(chunks);
      const { statusCode = 0 } = response;
      if (statusCode < 300) resolve(answer);
      else
        reject(
          new Refused(`${method} ${url}: ${statusCode} ${answer.subarray(0, 300)}`, statusCode),
        );
    });
  });
  sent.setTimeout(120_000, () => sent.destroy(new Error(`${method} ${url}: no answer in 120 s.`)));
  sent.once('error', reject);
  sent.end(body);
  return promise;
}

export class Refused extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export type Api = (
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  // biome-ignore lint/suspicious/noExplicitAny: what the server sent
) => Promise<any>;

/**
 * Sends and reads JSON as the bearer of `token`. `onAnswer` receives the path and size of each
 * answer.
 */
export function apiOf(
  url: string,
  token: string,
  onAnswer: (path: string, bytes: number) => void = () => {},
): Api {
  const authorization = `Bearer ${token}`;
  return async (method, path, body, signal) => {
    const answer = await send(method, url + path, {
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    onAnswer(path, answer.length);
    return answer.length === 0 ? undefined : JSON.parse(answer.toString());
  };
}

const boundary = 'cogworks-bench';

/** A form with one file, as a browser sends it to `POST /cogs/upload-file`. */
export function uploadForm(
  parentId: number,
  name: string,
  content: Buffer,
): Required<Pick<Sent, 'headers' | 'body'>> {
  const { head, tail } = formAround(parentId, name);
  return { headers: formHeaders, body: Buffer.concat([head, content, tail]) };
}

export const formHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}` };

/** The parts of a form before and after the file's bytes. */
export function formAround(parentId: number, name: string): { head: Buffer; tail: Buffer } {
  const head = [
    ...[`--${boundary}`, 'content-disposition: form-data; name="parent_id"', '', `${parentId}`],
    ...[`--${boundary}`, `content-disposition: form-data; name="file"; filename="${name}"`],
    ...['content-type: application/octet-stream', '', ''],
  ].join('\r\n');
  return { head: Buffer.from(head), tail: Buffer.from(`\r\n--${boundary}--\r\n`) };
}
