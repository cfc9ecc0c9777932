import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';
import { costOf } from '../../../test/statements.ts';

describe('GET /me', () => {
  it('tells who the caller is', async () => {
    const { owner } = await cast();

    const { status, body } = await owner.get('/me');

    assert.equal(status, 200);
    assert.deepEqual(body, {
      id: owner.user.id,
      email: owner.user.email,
      first_name: 'owner',
      last_name: '',
      tenant_id: owner.user.tenant_id,
      role: 'member',
      is_platform_admin: false,
      onboarding_complete: false,
      sign_in: 'password',
      gets_mail: false,
    });
  });

  it('costs one statement', async () => {
    const { owner, server } = await cast();

    const { texts } = await costOf(server, () => owner.get('/me'));

    assert.equal(texts.length, 1, texts.join('\n'));
  });

  it('answers 401 and says what to send when no credentials come', async () => {
    const { server } = await cast();

    const { status, body, headers } = await client(server.url).get('/me');

    assert.equal(status, 401);
    assert.match(body.detail, /a Bearer token or an X-API-Key header must be provided/);
    assert.equal(headers.get('www-authenticate'), 'Bearer');
  });
});

describe('PATCH /me', () => {
  it('changes names, and completes the onboarding once both are there', async () => {
    const { owner } = await cast();

    const { body } = await owner.patch('/me', { first_name: 'Ada', last_name: 'Lovelace' });

    assert.equal(body.first_name, 'Ada');
    assert.equal(body.onboarding_complete, true);
  });

  it('lists every fault of the body at once', async () => {
    const { owner } = await cast();

    const { status, body } = await owner.patch('/me', { first_name: 5, role: 'admin' });

    assert.equal(status, 422);
    assert.deepEqual(body.detail.map((fault: { loc: string[] }) => fault.loc.join('.')).sort(), [
      'body.first_name',
      'body.role',
    ]);
  });
});
