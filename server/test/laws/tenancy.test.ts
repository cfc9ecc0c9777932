/**
 * What a request names in its body or its query is looked for among what the tenant of the sender
 * has: an id of another tenant is answered as one that nobody has, and changes nothing there. The
 * fields are found in the contract, so that those of new routes are tried as well; ids in paths are
 * in laws.test.ts.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Db } from '../../src/db/connection.ts';
import { client } from '../cast.ts';
import { versionOf } from '../runs.ts';
import { testServer } from '../server.ts';
import { mappedGraph } from '../workflows.ts';
import {
  type IdField,
  idFieldsOf,
  namedBy,
  type Request,
  requests,
  type Tenant,
  tenant,
} from './id-fields.ts';
import { filled, type Operation, operationsOf } from './routes.ts';

type Id = number | string;

const server = await testServer();
const document = await (await fetch(`${server.url}/openapi.json`)).json();
const operations = await operationsOf(async () => document);
const mine = await tenant();
const theirs = await tenant();
const nobodys = (id: Id): Id => (typeof id === 'number' ? 999_999_999 : 'nothing-of-anybody');

describe('an id of another tenant in a request is answered as one that nobody has', async () => {
  const before = await everythingOf(server.services.db, theirs);
  for (const operation of operations)
    for (const field of idFieldsOf(document, operation)) {
      const name = field.path.at(-1) as string;
      it(`${operation.method} ${operation.path}, ${field.in} ${field.path.join('.')}`, async () => {
        const idIn = namedBy[name];
        assert.ok(idIn, `The sweep does not know what ${name} names: add it to namedBy.`);
        const foreign = idIn(theirs);

        const known = await ask(operation, field, foreign);
        const unknown = await ask(operation, field, nobodys(foreign));
        const own = await ask(operation, field);

        assert.deepEqual(known, unknown);
        assert.ok(own.status < 300, `With an id of one's own: ${JSON.stringify(own)}`);
      });
    }

  it('and nothing of that tenant has changed', async () => {
    assert.deepEqual(await everythingOf(server.services.db, theirs), before);
  });
});

describe('a draft that names a node of another tenant', () => {
  it('is checked, published and run as one that names a node that nobody has', async () => {
    const answers = [theirs.of('/node_definitions'), 999_999_999].map(async (definition) => {
      const version = await versionOf(mine.admin, mappedGraph(definition));
      const at = `/workflows/workflow-versions/${version}`;
      const body = { cog_ids: [mine.of('/cogs')] };
      const tries = [
        await mine.admin.post(`${at}/validate`),
        await mine.admin.post(`${at}/publish`),
      ];
      return [...tries, await mine.admin.post(`${at}/run`, body)].map((answer) => [
        answer.status,
        JSON.stringify(answer.body).replaceAll(String(definition), 'ID'),
      ]);
    });
    const [foreign, unknown] = await Promise.all(answers);
    assert.deepEqual(foreign, unknown);
    assert.deepEqual(
      foreign?.map(([status]) => status),
      [200, 422, 422],
    );
    assert.match(String(foreign?.[0]?.[1]), /"valid":false.*unknown_definition/);
  });
});

/**
 * Sends what is right in all else.
 *
 * @returns the answer without the id that was sent, and what is new each time.
 */
async function ask(operation: Operation, field: IdField, id?: Id) {
  const { path, headers, body } = await requestFor(operation, field);
  const name = field.path.at(-1) as string;
  const at = path ?? filled(operation, (parameter) => mine.idFor(operation, parameter));
  if (field.in === 'body' && id !== undefined) put(body, field, id);
  const query = field.in === 'query' ? `?${name}=${id ?? namedBy[name]?.(mine)}` : '';
  const sender =
    operation.security === 'worker' ? client(server.url, mine.worker.token) : mine.admin;
  const answer = await sender.fetch(`${at}${query}`, {
    method: operation.method,
    ...(field.in === 'body' && asSent(operation, body, headers)),
  });
  const text = await answer.text();
  const lasting = text.startsWith('{') ? JSON.stringify(JSON.parse(text, withoutNew)) : text;
  return { status: answer.status, body: lasting.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID') };
}

const withoutNew = (key: string, value: unknown) =>
  /(^|_)(id|at|hash|url|token)$/.test(key) ? undefined : value;

async function requestFor({ id }: Operation, field: IdField): Promise<Request> {
  if (field.in === 'query') return { body: undefined };
  const make = requests[id];
  assert.ok(make, `The sweep knows no request for ${id}: add one to requests.`);
  return make(mine, field.path.at(-1) as string);
}

/** Puts another id where one stands in the body, with what its tenant knows of it. */
function put(body: unknown, { path, isList }: IdField, id: Id): void {
  // biome-ignore lint/suspicious/noExplicitAny: the body of any operation
  let within = body as any;
  for (const key of path.slice(0, -1)) within = within[key];
  const name = path.at(-1) as string;
  within[name] = isList ? [id] : id;
  if (name === 'attempt_id') within.lease_token = theirs.order.lease_token;
}

function asSent({ hasJsonBody }: Operation, body: unknown, headers?: Record<string, string>) {
  if (hasJsonBody)
    return {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    };
  const form = new FormData();
  for (const [name, value] of Object.entries(body as Record<string, Id>))
    form.set(name, String(value));
  form.set('file', new File(['x'], `${crypto.randomUUID()}.txt`));
  return { body: form };
}

/** Of each table, a digest of the rows that a tenant has there. */
async function everythingOf(db: Db, { admin }: Tenant): Promise<object> {
  const tables = await db<{ name: string; rows: string }[]>`
    select table_name as name, query_to_xml(
      format(
        $$
          select count(*), md5(string_agg(one::text, ' ' order by one::text))
          from %I as one where tenant_id = %s
        $$,
        table_name, ${admin.user.tenant_id}::bigint
      ),
      false, true, ''
    )::text as rows
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and column_name = 'tenant_id' and table_type = 'BASE TABLE'
  `;
  assert.ok(tables.length > 50, String(tables.length));
  return Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));
}
