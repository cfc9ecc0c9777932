/**
 * A new tenant with known users, each a client with get, post, patch and delete. Tests run side by
 * side because each has its own tenant, which also tests tenancy all the time.
 */
import { randomUUID } from 'node:crypto';
import type { UserRow } from '../src/resources/users/queries.ts';
import { createTenant, createUser } from '../src/resources/users/users.ts';
import { type TestServer, testServer } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent, unknown to types by intent
type Body = any;
export type Answer = { status: number; body: Body; headers: Headers };
type Extra = { headers?: Record<string, string>; signal?: AbortSignal };

export type Client = {
  user: UserRow;
  token: string;
  get(path: string, extra?: Extra): Promise<Answer>;
  post(path: string, body?: unknown, extra?: Extra): Promise<Answer>;
  put(path: string, body?: unknown, extra?: Extra): Promise<Answer>;
  patch(path: string, body?: unknown, extra?: Extra): Promise<Answer>;
  delete(path: string, extra?: Extra): Promise<Answer>;
  /** The raw fetch, with the token, for bodies other than JSON. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Uploads as a browser does. @returns the answer of POST /cogs/upload-file. */
  upload(
    name: string,
    bytes: string | Uint8Array<ArrayBuffer>,
    parentId?: number,
    type?: string,
  ): Promise<Answer>;
};

export type Cast = {
  server: TestServer;
  /** Admin of the tenant. */
  admin: Client;
  /** Three members without grants until a test gives them some; named for their usual level. */
  owner: Client;
  editor: Client;
  viewer: Client;
  /** An admin of another tenant. */
  stranger: Client;
};

export async function cast(given?: TestServer): Promise<Cast> {
  const server = given ?? (await testServer());
  const { db, keys } = server.services;
  const [home, elsewhere] = await Promise.all([
    createTenant(db, keys, 'Home'),
    createTenant(db, keys, 'Elsewhere'),
  ]);
  const [admin, owner, editor, viewer, stranger] = await Promise.all([
    person(server, home, 'admin', 'admin'),
    person(server, home, 'owner', 'member'),
    person(server, home, 'editor', 'member'),
    person(server, home, 'viewer', 'member'),
    person(server, elsewhere, 'stranger', 'admin'),
  ]);
  return { server, admin, owner, editor, viewer, stranger };
}

/** Adds one more user to a tenant, signed in. */
export async function person(
  server: TestServer,
  tenantId: number,
  name: string,
  role: 'admin' | 'member',
): Promise<Client> {
  const user = await createUser(server.services.db, {
    tenant_id: tenantId,
    email: `${name}-${randomUUID()}@example.test`,
    first_name: name,
    role,
  });
  const token = await server.tokens.issue({ user_id: user.id, subject: user.subject });
  return { user, token, ...client(server.url, token) };
}

/** A client with a token, or without one. */
export function client(url: string, token?: string): Omit<Client, 'user' | 'token'> {
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    { headers, signal }: Extra = {},
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    };
  };
  return {
    get: (path, extra) => send('GET', path, undefined, extra),
    post: (path, body, extra) => send('POST', path, body, extra),
    put: (path, body, extra) => send('PUT', path, body, extra),
    patch: (path, body, extra) => send('PATCH', path, body, extra),
    delete: (path, extra) => send('DELETE', path, undefined, extra),
    fetch: (path, init = {}) =>
      fetch(url + path, {
        ...init,
        headers: { ...authorization, ...(init.headers as Record<string, string>) },
      }),
    upload: async (name, bytes, parentId, type) => {
      const form = new FormData();
      if (parentId !== undefined) form.set('parent_id', String(parentId));
      form.set('file', new File([bytes], name, type === undefined ? {} : { type }));
      const response = await fetch(`${url}/cogs/upload-file`, {
        method: 'POST',
        headers: authorization,
        body: form,
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
  };
}
