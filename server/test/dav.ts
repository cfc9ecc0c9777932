/** A WebDAV client of a user: HTTP Basic with an API key, any method, and paths as given. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { Client } from './cast.ts';
import type { TestServer } from './server.ts';

export type DavAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The addresses in a multistatus, in their order. */
  addresses: string[];
};

type Init = { headers?: OutgoingHttpHeaders; body?: string | Uint8Array };

/** @param path below `/dav`, as it goes over the wire; nothing is resolved or encoded. */
export type Dav = (method: string, path: string, init?: Init) => Promise<DavAnswer>;

export async function davClient(server: TestServer, user: Client): Promise<Dav> {
  return davClientWith(server, { authorization: basic(await newKey(user)) });
}

export const newKey = async (user: Client): Promise<string> =>
  (await user.post('/api-keys', { description: 'dav' })).body.access_key;

export const davClientWith =
  (server: TestServer, credentials: OutgoingHttpHeaders): Dav =>
  async (method, path, { headers = {}, body } = {}) => {
    const sent = openRequest(server, method, path, { ...credentials, ...headers });
    sent.end(body);
    const [response] = await once(sent, 'response');
    const text = await textOf(response);
    const addresses = [...text.matchAll(/<D:response><D:href>([^<]*)</g)].map(([, at = '']) => at);
    return { status: response.statusCode, headers: response.headers, text, addresses };
  };

/** A request whose body the test writes itself. */
export function openRequest(
  server: TestServer,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
) {
  const { hostname, port } = new URL(server.url);
  return request({ hostname, port, method, path: `/dav${path}`, headers });
}

export const basic = (password: string, name = 'anybody@example.test') =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** The body that asks for a write lock. */
export const lockInfo = (scope: 'exclusive' | 'shared' = 'exclusive', owner = 'me') =>
  `<?xml version="1.0"?><lockinfo xmlns="DAV:"><lockscope><${scope}/></lockscope>` +
  `<locktype><write/></locktype><owner>${owner}</owner></lockinfo>`;

/** Takes a lock. @returns its token, in angle brackets. */
export async function lock(dav: Dav, path: string, headers: OutgoingHttpHeaders = {}) {
  const answer = await dav('LOCK', path, { headers, body: lockInfo() });
  return String(answer.headers['lock-token']);
}
