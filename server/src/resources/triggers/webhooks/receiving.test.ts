import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  deliver,
  deliveriesOf,
  runsOf,
  send,
  signed,
  verdictsOf,
  webhook,
} from '../../../../test/hooks.ts';
import { look, stage } from '../../../../test/runs.ts';
import { startServer } from '../../../../test/server.ts';
import { until } from '../../../../test/until.ts';

/** Headers that differ with each answer. */
const isOfTheAnswer = new Set([
  ...['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset'],
]);
const oneText = { detail: 'The signature is missing, wrong or too old.' };

describe('a message to a webhook', () => {
  it('starts a run as the user of its trigger', async () => {
    const people = await stage();
    const hook = await webhook(people);
    const { status, body } = await send(hook, { any: 'thing' });
    assert.equal(status, 202);
    const run = await look(people.owner, body.workflow_run_id);
    assert.equal(run.trigger_id, hook.id);
    assert.equal(run.started_by, people.owner.user.id);
    assert.deepEqual(
      run.run_files.map(({ cog_id }: { cog_id: number }) => cog_id),
      [hook.file],
    );
    const [firing] = (await people.owner.get(`/workflows/triggers/${hook.id}/firings`)).body;
    assert.equal(firing.source, 'message');
    assert.equal(firing.workflow_run_id, run.id);
    const trigger = (await people.owner.get(`/workflows/triggers/${hook.id}`)).body;
    assert.equal(trigger.last_status, run.status);
    assert.equal('secret' in trigger, false);
  });

  it('is answered with the first run when it is repeated within a day', async () => {
    const people = await stage();
    const hook = await webhook(people);
    const first = await send(hook, {}, { id: 'msg_1' });
    const again = await send(hook, { other: 'body' }, { id: 'msg_1' });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.deepEqual(await verdictsOf(people.owner, hook), ['accepted', 'repeated']);

    await people.server.services.db`
      update hook_messages set received_at = received_at - interval '25 hours'
      where trigger_id = ${hook.id}
    `;
    const later = await send(hook, {}, { id: 'msg_1' });
    assert.equal(later.status, 202);
    assert.notEqual(later.body.workflow_run_id, first.body.workflow_run_id);
  });

  it('starts one run when it comes to several servers at once', async () => {
    const people = await stage();
    const other = await startServer({}, undefined, { beside: people.server });
    const hook = await webhook(people);
    const there = { ...hook, url: hook.url.replace(people.server.url, other.url) };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => send(at % 2 ? hook : there, {}, { id: 'at_once' })),
    );
    const runs = new Set(answers.map(({ body }) => body.workflow_run_id));
    assert.equal(runs.size, 1);
    assert.equal(answers.filter(({ status }) => status === 202).length, 1);
    assert.equal((await runsOf(people.owner, hook)).length, 1);
  });

  it('gives variables and files by the mapping', async () => {
    const people = await stage();
    const { owner } = people;
    const hook = await webhook(people, { cog_ids: [] });
    const mapping = {
      extra_variables: { width: '/image/width', title: '/a~1b/0' },
      cog_ids: '/files',
    };
    const { status } = await owner.patch(`/workflows/triggers/${hook.id}`, {
      mapping,
      folder_id: hook.folder,
      extra_variables: { width: 100 },
    });
    assert.equal(status, 200);
    const message = { image: { width: 640 }, 'a/b': ['Scans'], files: [hook.file] };
    const { body } = await send(hook, message);
    const run = await look(owner, body.workflow_run_id);
    assert.deepEqual(run.extra_variables, { width: 640, title: 'Scans' });
    const usual = await send(hook, { files: hook.file });
    assert.equal((await look(owner, usual.body.workflow_run_id)).extra_variables.width, 100);
  });

  it('is refused with the pointer of what does not fit', async () => {
    const people = await stage();
    const mapping = { extra_variables: { width: '/__proto__/x', title: '/list/01' } };
    const hook = await webhook(people, { mapping });
    assert.equal((await send(hook, { list: ['no', 'yes'] })).status, 202);
    await people.owner.patch(`/workflows/triggers/${hook.id}`, {
      mapping: { extra_variables: { width: '/wide' } },
    });
    const { status, body } = await send(hook, { wide: '640' });
    assert.equal(status, 422);
    assert.deepEqual(body.detail[0].loc, ['body', '/wide']);
    const [latest] = await deliveriesOf(people.owner, hook);
    assert.equal(latest?.verdict, 'refused');
    assert.match(latest?.reason ?? '', /^\/wide: /);
  });

  it('is refused with the pointer of a text that cannot be stored', async () => {
    const people = await stage();
    const hook = await webhook(people, { mapping: { extra_variables: { title: '/t/0' } } });
    for (const bad of ['a\\u0000b', '\\ud800']) {
      const body = `{"t":["${bad}"]}`;
      const answer = await deliver(hook, body, signed(hook, body));
      assert.deepEqual([answer.status, answer.body.detail[0].loc], [422, ['body', '/t/0']]);
      assert.match((await deliveriesOf(people.owner, hook))[0]?.reason ?? '', /^\/t\/0: /);
    }
    // Where the mapping names nothing, nothing is stored.
    const elsewhere = '{"x":"\\ud800"}';
    assert.equal((await deliver(hook, elsewhere, signed(hook, elsewhere))).status, 202);
  });

  it('names no file outside the folder, whatever is wrong with it', async () => {
    const people = await stage();
    const { owner, stranger, admin } = people;
    const hook = await webhook(people);
    const at = `/workflows/triggers/${hook.id}`;
    assert.equal((await owner.patch(at, { mapping: { cog_ids: '/cogs' } })).status, 422);
    await owner.patch(at, { mapping: { cog_ids: '/cogs' }, folder_id: hook.folder });
    const outside = (await owner.upload('outside.txt', 'x')).body.id;
    const foreign = (await stranger.upload('foreign.txt', 'x')).body.id;
    const deleted = (await owner.upload('deleted.txt', 'x', hook.folder)).body.id;
    await owner.delete(`/cogs/${deleted}`);
    const unseen = (await admin.upload('unseen.txt', 'x')).body.id;
    const ids = [outside, foreign, deleted, unseen, hook.folder, 999_999_999];
    const answers = await Promise.all(ids.map((id) => send(hook, { cogs: [hook.file, id] })));
    const texts = new Set(answers.map(({ status, body }) => JSON.stringify([status, body])));
    assert.equal(texts.size, 1);
    assert.equal(answers[0]?.status, 422);
    assert.equal((await send(hook, { cogs: [hook.file] })).status, 202);
    for (const wrong of [undefined, [], 'x', 1.5, -1, { id: 1 }, [hook.file, '1']]) {
      const { status, body } = await send(hook, { cogs: wrong });
      assert.deepEqual([status, body.detail[0].loc], [422, ['body', '/cogs']]);
    }
  });
});

describe('a message that is not signed', () => {
  it('gets one and the same answer, whatever is wrong', async () => {
    const people = await stage();
    const hook = await webhook(people);
    const off = await webhook(people, { enabled: false });
    const other = await webhook(people);
    const body = '{"a":1}';
    const right = signed(hook, body);
    const none = { ...right };
    delete none['webhook-signature'];
    const nowhere = { url: hook.url.replace(/[^/]+$/, '0'.repeat(32)) };
    const answers = await Promise.all([
      deliver(hook, '{ "a": 1 }', right),
      deliver(hook, `${body}\n`, right),
      deliver(hook, body, signed(other, body)),
      deliver(off, body, right),
      deliver(nowhere, body, right),
      deliver({ url: `${people.server.url}/hooks/x` }, body, right),
      deliver(hook, body, none),
      deliver(hook, body, { ...right, 'webhook-timestamp': '1700000000x' }),
      deliver(hook, body, signed(hook, body, { at: new Date(Date.now() - 302_000) })),
      deliver(hook, body, signed(hook, body, { at: new Date(Date.now() + 303_000) })),
      deliver(hook, body, { ...right, 'webhook-signature': 'v1,x '.repeat(10_000).trim() }).catch(
        () => undefined,
      ),
    ]);
    for (const answer of answers) {
      if (!answer) continue;
      if (answer.status === 431) continue;
      assert.deepEqual([answer.status, answer.body], [401, oneText]);
      const told = [...answer.headers].filter(([name]) => !isOfTheAnswer.has(name));
      assert.deepEqual(
        told,
        [...(answers[0]?.headers ?? [])].filter(([name]) => !isOfTheAnswer.has(name)),
      );
    }
    assert.equal((await deliver(hook, body, right)).status, 202);
  });

  it('is seen in the log, without its body, and not without bound', async () => {
    const people = await stage();
    const hook = await webhook(people);
    const { db } = people.server.services;
    for (let count = 0; count < 30; count += 1) await deliver(hook, 'secret', {});
    const all = async () => (await deliveriesOf(people.owner, hook)).length >= 20;
    await until('all are recorded', all);
    const [row] = await db<{ count: number; bodies: number }[]>`
      select count(*) as count, count(body) as bodies from deliveries where trigger_id = ${hook.id}
    `;
    assert.equal(row?.bodies, 0);
    assert.equal(row?.count, 20);
  });
});

describe('messages from one address', () => {
  it('are so many a minute at most, of all hooks together, and no calls of people', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '1000' }, undefined, {
      limits: { hook_calls: 3 },
    });
    const people = await stage(server);
    const [hook, other] = [await webhook(people), await webhook(people)];
    assert.deepEqual(
      [
        (await send(hook)).status,
        (await deliver(hook, '{}', {})).status,
        (await send(other)).status,
      ],
      [202, 401, 202],
    );
    const { status, headers } = await send(hook);
    assert.deepEqual([status, headers.get('ratelimit-limit')], [429, '3']);
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.equal((await people.owner.get('/me')).status, 200);
  });
});

describe('a preset', () => {
  const hmac = (secret: string, text: string) =>
    createHmac('sha256', secret).update(text).digest('hex');
  const secret = 'a-secret-that-the-sender-shows';

  it('of GitHub knows a body again, and answers its test', async () => {
    const people = await stage();
    const hook = await webhook(people, { preset: 'github', secret });
    const post = (body: string, headers: Record<string, string> = {}) =>
      deliver(hook, body, {
        'x-hub-signature-256': `sha256=${hmac(secret, body)}`,
        'x-github-delivery': randomUUID(),
        ...headers,
      });
    const ping = await post('{"zen":"Keep it simple."}', { 'x-github-event': 'ping' });
    assert.equal(ping.status, 200);
    assert.deepEqual(await runsOf(people.owner, hook), []);
    const first = await post('{"ref":"main"}');
    const again = await post('{"ref":"main"}');
    assert.deepEqual([first.status, again.status], [202, 200]);
    assert.deepEqual(again.body, first.body);
    assert.equal((await deliver(hook, '{"ref":"main"}', {})).status, 401);
  });

  it('of Stripe knows an event again, whatever else has changed', async () => {
    const people = await stage();
    const hook = await webhook(people, { preset: 'stripe', secret });
    const post = (event: unknown) => {
      const body = JSON.stringify(event);
      const t = Math.floor(Date.now() / 1000);
      const right = hmac(secret, `${t}.${body}`);
      const signature = `t=${t},v1=${'0'.repeat(64)},v1=${right},v0=${right}`;
      return deliver(hook, body, { 'stripe-signature': signature });
    };
    const first = await post({ id: 'evt_1', attempt: 1 });
    const again = await post({ id: 'evt_1', attempt: 2 });
    assert.deepEqual([first.status, again.status], [202, 200]);
    assert.equal((await post({ id: 'evt_2' })).status, 202);
  });

  it('of Slack answers the challenge of its set-up', async () => {
    const people = await stage();
    const hook = await webhook(people, { preset: 'slack', secret });
    const post = (event: unknown) => {
      const body = JSON.stringify(event);
      const t = String(Math.floor(Date.now() / 1000));
      return deliver(hook, body, {
        'x-slack-request-timestamp': t,
        'x-slack-signature': `v0=${hmac(secret, `v0:${t}:${body}`)}`,
      });
    };
    const { status, body } = await post({ type: 'url_verification', challenge: 'abc' });
    assert.deepEqual([status, body], [200, { challenge: 'abc' }]);
    const first = await post({ event_id: 'Ev1' });
    assert.deepEqual((await post({ event_id: 'Ev1', retry: 1 })).body, first.body);
  });

  it('of GitLab signs as Standard Webhooks', async () => {
    const people = await stage();
    assert.equal((await send(await webhook(people, { preset: 'gitlab' }))).status, 202);
  });
});

describe('the body of a message', () => {
  it('may have a mebibyte, and no encoding', async () => {
    const people = await stage();
    const hook = await webhook(people);
    const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    const most = sized(1024 * 1024);
    assert.equal((await deliver(hook, most, signed(hook, most))).status, 202);
    const more = sized(1024 * 1024 + 1);
    assert.equal((await deliver(hook, more, signed(hook, more))).status, 413);
    const chunked = await fetch(hook.url, {
      method: 'POST',
      headers: signed(hook, more),
      body: new Blob([more]).stream(),
      duplex: 'half',
    } as RequestInit);
    assert.equal(chunked.status, 413);
    const encoded = signed(hook, 'x', { headers: { 'content-encoding': 'gzip' } });
    assert.equal((await deliver(hook, 'x', encoded)).status, 415);
  });

  it('may be anything as long as it is JSON, or nothing', async () => {
    const people = await stage();
    const hook = await webhook(people);
    for (const body of ['[]', 'null', '"text"', '']) {
      assert.equal((await deliver(hook, body, signed(hook, body))).status, 202, body);
    }
    assert.equal((await deliver(hook, '{', signed(hook, '{'))).status, 400);
    const deep = '['.repeat(500) + ']'.repeat(500);
    assert.equal((await deliver(hook, deep, signed(hook, deep))).status, 422);
  });
});
