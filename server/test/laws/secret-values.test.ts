/**
 * Values that are secret, planted by every way in: whatever is kept, logged or answered afterwards
 * holds none of them, in no usual encoding.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { makeLog } from '../../src/log.ts';
import { type Answer, type Client, client } from '../cast.ts';
import { send, webhook } from '../hooks.ts';
import { filesOf, run, stage, versionOf } from '../runs.ts';
import { startServer } from '../server.ts';
import { signIn, userWithPassword } from '../sign-in.ts';
import { mappedGraph, registerNode } from '../workflows.ts';

const lines: string[] = [];
const log = makeLog('trace', { write: (line: string) => void lines.push(line) });
const server = await startServer({}, log);
const { db } = server.services;

/** What nobody may find again, by what it is. */
const planted = new Map<string, string>();
function plant(what: string, value: string): string {
  assert.ok(value.length >= 16, what);
  planted.set(what, value);
  return value;
}
const invented = (what: string) => plant(what, `m"é/+ ${randomBytes(12).toString('base64')}`);
const hookSecret = (what: string) => plant(what, `whsec_${randomBytes(32).toString('base64')}`);

/** As it stands in JSON, in URLs, in base64 and as bytes. */
const encodings = (value: string) => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  Buffer.from(value).toString('base64').replace(/=+$/, ''),
  Buffer.from(value).toString('hex'),
  ...(value.startsWith('whsec_') ? [Buffer.from(value.slice(6), 'base64').toString('hex')] : []),
];

function assertNone(where: string, text: string) {
  for (const [what, value] of planted)
    for (const encoded of encodings(value)) {
      const at = text.indexOf(encoded);
      assert.equal(at, -1, `${where} holds ${what}: ${text.slice(Math.max(0, at - 150), at)}`);
    }
}

describe('a value that is secret', async () => {
  const people = await stage(server);
  const refusals = await plantAll(people);

  it('is in no table', async () => {
    const tables = await db<{ name: string; rows: string }[]>`
      select table_name as name, query_to_xml(
        format('select one::text as row from %I as one', table_name), false, false, ''
      )::text as rows
      from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'
    `;
    const filled = tables.filter(({ rows }) => rows.includes('<row>'));
    assert.ok(filled.some(({ rows }) => rows.includes('marked@example.test')));
    assert.ok(filled.length > 30, String(filled.length));
    for (const { name, rows } of filled) assertNone(name, unescaped(rows));
  });

  it('is in no line of the log', () => {
    assert.ok(lines.length > 20);
    assertNone('the log', lines.join(''));
  });

  it('is in no answer but the first', async () => {
    const { admin } = people;
    const document = (await admin.get('/openapi.json')).body;
    const lists = Object.keys(document.paths).filter(
      (path) => document.paths[path].get && !/[{]|events$|^\/auth|^\/realms/.test(path),
    );
    assert.ok(lists.includes('/secrets/') && lists.includes('/audit-events/'));
    for (const path of lists) assertNone(path, await textOf(await admin.fetch(path)));
    assertNone('the export', await textOf(await admin.fetch('/audit-events/?format=csv')));
  });

  it('is in no refusal of what held it', () => {
    for (const { status, body } of refusals) {
      assert.ok(status >= 400, JSON.stringify(body));
      assertNone('a refusal', JSON.stringify(body));
    }
  });
});

const textOf = async (answer: Response) => {
  const text = await answer.text();
  return `${text}${unescaped(text)}`;
};
const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('""', '"');

/** @returns the answers to requests that hold secrets and are refused. */
async function plantAll(people: Awaited<ReturnType<typeof stage>>): Promise<Answer[]> {
  const { admin, owner, worker } = people;
  const once = (key: string) => ({ headers: { 'idempotency-key': key } });
  const generic = (what: string) => ({ name: 'TOKEN', kind: 'generic', value: invented(what) });
  const registry = (what: string) => ({
    ...{ server: '127.0.0.1:9', username: 'robot', password: invented(what) },
  });

  const { body: token } = await admin.post('/secrets', generic('a value'), once('token'));
  await admin.put(`/secrets/${token.id}`, { value: invented('a replaced value') });
  const { body: images } = await admin.post('/secrets', {
    ...{ name: 'IMAGES', kind: 'registry', value: registry('a password of a registry') },
  });
  await admin.put(`/secrets/${images.id}`, { value: registry('a replaced password') });
  await admin.post(`/secrets/${images.id}/test`);

  await runWithSecret(owner, worker);
  await shownOnce(people, once);

  return [
    await admin.post('/secrets', generic('the value of a name that is taken')),
    await admin.post('/secrets', generic('the value under a key of another'), once('token')),
    await admin.post('/secrets', { ...generic('a value with a wrong name'), name: 'lower' }),
    await admin.post('/secrets', { ...generic('a value of a wrong kind'), kind: 'registry' }),
    await admin.put(`/secrets/${token.id}`, { value: { password: invented('a wrong shape') } }),
    await owner.post('/secrets', generic('the value of somebody without the right')),
    await client(server.url).post('/api-keys/token', { api_key: invented('no key') }),
    await client(server.url).post('/auth/refresh-token', { refresh_token: invented('no token') }),
    await owner.post('/workflows/triggers', {
      ...{ name: 'x', type: 'webhook', workflow_id: 1, secret: invented('no secret of a hook') },
    }),
  ];
}

async function runWithSecret(owner: Client, worker: Awaited<ReturnType<typeof stage>>['worker']) {
  const params = { type: 'object', properties: { token: { type: 'string', 'x-secret': true } } };
  const graph = mappedGraph(await registerNode(owner, { params }), {
    params: { token: { $secret: 'TOKEN' } },
  });
  await run(owner, await versionOf(owner, graph), { cog_ids: await filesOf(owner, 'a') });
  const [order] = await worker.acquire();
  assert.equal(order.params.token, planted.get('a replaced value'));
  await worker.fail(order);
}

/** What the service makes, and shows once; also by the answer that it keeps for a repeated request. */
async function shownOnce(
  people: Awaited<ReturnType<typeof stage>>,
  once: (key: string) => { headers: Record<string, string> },
) {
  const { admin, owner } = people;
  const hook = await webhook(people, { secret: hookSecret('the secret of a hook') });
  await send(hook, { any: 'thing' });
  const rotated = `/workflows/triggers/${hook.id}/rotate-secret`;
  plant('a made secret of a hook', (await owner.post(rotated, {}, once('hook'))).body.secret);
  const { body: notice } = await owner.post(
    '/workflows/notices',
    { url: 'https://example.com/', events: ['run.failure'], secret: hookSecret('one of a notice') },
    once('notice'),
  );
  plant(
    'a made secret of a notice',
    (await owner.post(`/workflows/notices/${notice.id}/rotate-secret`, {})).body.secret,
  );

  const { body: key } = await owner.post('/api-keys', { description: 'x' }, once('key'));
  plant('an API key', key.access_key.split('_')[2]);
  const { body: exchanged } = await client(server.url).post('/api-keys/token', {
    api_key: key.access_key,
  });
  plant('the token of a key', exchanged.access_token.split('.')[2]);
  const invited = { email: 'marked@example.test', role: 'member' };
  const { link } = (await admin.post('/invitations/', invited, once('invitation'))).body;
  plant('an invitation', link.slice(link.indexOf('#') + 5));

  const password = plant('a password of a person', randomBytes(16).toString('base64url'));
  const user = await userWithPassword(server, owner.user.tenant_id, { password });
  const session = await signIn(server, user.email, password);
  plant('an access token', session.access_token.split('.')[2] ?? '');
  plant('a refresh token', session.refresh_token ?? '');
  const renewed = await client(server.url).post('/auth/refresh-token', {
    refresh_token: session.refresh_token,
  });
  plant('a renewed refresh token', renewed.body.refresh_token);
}
