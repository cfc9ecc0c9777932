import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';

const worker = { name: 'w', capacity: { cpu: 1, memory_mb: 1024, gpu: 0, disk_mb: 1024 } };

describe('an enrolment token', () => {
  it('enrols one worker, and says when it did to whoever comes after', async () => {
    const { admin, server } = await cast();
    const { body } = await admin.post('/workers/enrollment-tokens', {});
    const enrol = () => client(server.url).post('/workers', { ...worker, ...token(body) });
    assert.equal((await enrol()).status, 201);

    const second = await enrol();

    assert.deepEqual([second.status, second.body.code], [401, 'enrollment_token_refused']);
    assert.match(second.body.detail, /was used at 2\d{3}-.*Z; each enrols one worker/);
  });

  it('says that it has expired, or is none of here', async () => {
    const { admin, server } = await cast();
    const { body } = await admin.post('/workers/enrollment-tokens', { expires_in: 60 });
    await server.services.db`update enrollment_tokens set expires_at = now()`;
    const enrol = (enrollment_token: string) =>
      client(server.url).post('/workers', { ...worker, enrollment_token });

    const expired = await enrol(body.enrollment_token);
    const unknown = await enrol('wet_of-another-server');

    assert.equal(expired.status, 401);
    assert.match(expired.body.detail, /has expired at/);
    assert.equal(unknown.status, 401);
    assert.match(unknown.body.detail, /is unknown here/);
  });
});

const token = ({ enrollment_token }: { enrollment_token: string }) => ({ enrollment_token });
