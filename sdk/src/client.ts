/**
 * The typed client: one method per operation of the contract, for browsers and Node, without
 * dependencies. Its methods are generated from the table of operations, so a new route becomes a
 * new method without a change here.
 *
 *     const client = createClient({ baseUrl, token: apiKeyTokens(baseUrl, 'sk_…') });
 *     const root = await client.getRootCog();
 *     const files = await client.listCogs({ query: { parent_id: root.id } });
 */
import { type Operations, operations } from './contract.gen.ts';
import { apiError } from './errors.ts';
import { retryDelay } from './retry.ts';
import { usualSilence_ms, watchSilence } from './silence.ts';
import { wait } from './wait.ts';

export type OperationId = keyof Operations;
export type Args<Id extends OperationId> = Operations[Id]['args'];
export type Answer<Id extends OperationId> = Operations[Id]['answer'];

/**
 * Returns the access token to send. It is called for every request, so it should cache the token.
 * After the service has refused a token, it is called with that token, and may return a newer one.
 */
export type TokenSource = (refused?: string) => Promise<string | undefined> | string | undefined;

/** A body that `fetch` accepts. */
type Body = NonNullable<RequestInit['body']>;

export type ClientOptions = {
  /** Of the service, without a trailing slash; an empty string means the page's own origin. */
  baseUrl: string;
  /** Omitted for a client of public operations. */
  token?: TokenSource;
  fetch?: typeof fetch;
  /** A transfer of bytes that stands still for so long is tried again; a minute unless given. */
  silence_ms?: number | undefined;
};

export type CallOptions = {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** Makes a POST idempotent, and allows the client to repeat it if the network fails. */
  idempotencyKey?: string | undefined;
  /** A POST or PATCH that has the same effect when repeated, so that it is if the network fails. */
  isRepeatable?: boolean | undefined;
  /** How often it is tried at most; five times unless given. */
  attempts?: number | undefined;
  /** How long to wait for the beginning of the answer; as long as `fetch` does unless given. */
  silence_ms?: number | undefined;
};

export type Called<Id extends OperationId> = {
  answer: Answer<Id>;
  headers: Headers;
  status: number;
};

type Method<Id extends OperationId> =
  Record<never, never> extends Args<Id>
    ? (args?: Args<Id> & CallOptions) => Promise<Answer<Id>>
    : (args: Args<Id> & CallOptions) => Promise<Answer<Id>>;

export type Client = { readonly [Id in OperationId]: Method<Id> } & {
  readonly baseUrl: string;
  /** Like the operation's method, with headers and status of the answer. */
  call<Id extends OperationId>(id: Id, args: Args<Id> & CallOptions): Promise<Called<Id>>;
  /** A request to any path, with the same token, retries and errors. */
  send(request: RawRequest): Promise<Response>;
  /** The current access token, for custom transports. */
  token: TokenSource;
  /** After this long without a byte, a transfer is tried again. */
  silence_ms: number;
};

export type RawRequest = {
  method: string;
  /** Relative to the base URL, including the query. */
  path: string;
  body?: Body | undefined;
} & CallOptions;

export function createClient(options: ClientOptions): Client {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const token = options.token ?? (() => undefined);
  const request = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const send = (raw: RawRequest) => sendRequest({ baseUrl, token, fetch: request }, raw);

  const call = async <Id extends OperationId>(id: Id, args: Args<Id> & CallOptions) => {
    const response = await send(rawRequest(id, args as AnyArgs));
    const answer = (await readAnswer(id, response)) as Answer<Id>;
    return { answer, headers: response.headers, status: response.status };
  };
  const methods = Object.fromEntries(
    (Object.keys(operations) as OperationId[]).map((id) => [
      id,
      async (args: Args<typeof id> & CallOptions = {} as never) => (await call(id, args)).answer,
    ]),
  );
  const { silence_ms = usualSilence_ms } = options;
  return { ...methods, baseUrl, call, send, token, silence_ms } as unknown as Client;
}

type AnyArgs = {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
} & CallOptions;

function rawRequest(
  id: OperationId,
  { path, query, body, headers, ...options }: AnyArgs,
): RawRequest {
  const operation = operations[id];
  const isJson = operation.body === 'json' && body !== undefined;
  return {
    ...options,
    method: operation.method,
    path: operationPath(id, path) + queryString(query),
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
    body: isJson ? JSON.stringify(body) : (body as Body | undefined),
  };
}

/** The path of an operation with its parameters filled in. */
export function operationPath(id: OperationId, parameters: Record<string, unknown> = {}): string {
  return operations[id].path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (parameters[name] === undefined)
      throw new TypeError(`${id} needs the path parameter ${name}.`);
    return encodeURIComponent(String(parameters[name]));
  });
}

export function queryString(query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text && `?${text}`;
}

async function readAnswer(id: OperationId, response: Response): Promise<unknown> {
  const { answer } = operations[id];
  if (answer === 'raw') return response;
  if (response.status === 204 || answer === 'none') return void (await response.body?.cancel());
  return response.json();
}

type Transport = { baseUrl: string; token: TokenSource; fetch: typeof fetch };

/** @throws ApiError unless the answer is a success; errors of `fetch` if there is no answer. */
async function sendRequest(transport: Transport, raw: RawRequest): Promise<Response> {
  const isRepeatable =
    raw.isRepeatable ?? (raw.method === 'GET' || raw.idempotencyKey !== undefined);
  let token = await transport.token();
  let isRenewed = false;
  for (let attempt = 1; ; attempt++) {
    const { response, error } = await attemptRequest(transport, raw, token);
    if (response?.ok) return response;
    raw.signal?.throwIfAborted();

    if (response?.status === 401 && token && !isRenewed) {
      isRenewed = true;
      const renewed = await transport.token(token);
      if (renewed && renewed !== token) {
        token = renewed;
        await response.body?.cancel();
        continue;
      }
    }
    const status = response?.status;
    const retryAfter = response?.headers.get('retry-after');
    const outcome = { attempt, attempts: raw.attempts, isRepeatable, status, retryAfter };
    const delay = retryDelay(outcome, new Date(), Math.random());
    if (delay === undefined) throw response ? await apiError(response) : error;
    await response?.body?.cancel();
    await wait(delay, raw.signal);
  }
}

/** @returns the answer, or the network's error. */
async function attemptRequest(
  { baseUrl, fetch }: Transport,
  { method, path, body, headers, idempotencyKey, silence_ms, ...given }: RawRequest,
  token: string | undefined,
): Promise<{ response?: Response; error?: unknown }> {
  const watch = silence_ms === undefined ? undefined : watchSilence(silence_ms, given.signal);
  const signal = watch?.signal ?? given.signal;
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        accept: 'application/json, */*',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
    return { response };
  } catch (error) {
    return { error };
  } finally {
    watch?.end();
  }
}
