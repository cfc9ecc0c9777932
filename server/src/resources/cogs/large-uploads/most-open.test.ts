import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../../test/cast.ts';
import { startServer } from '../../../../test/server.ts';
import { bytesFor, confirm, initiated, sent } from '../../../../test/uploads.ts';
import { usualLimits } from '../../../limits.ts';

const server = await startServer({}, undefined, {
  limits: { uploads: { ...usualLimits.uploads, most_open: 3 } },
});

describe('uploads that a user has announced', () => {
  it('are limited in number, until some are confirmed or aborted', async () => {
    const { owner, editor } = await cast(server);
    const bytes = bytesFor(0, 9);
    const announce = (name: string) =>
      owner.post('/cogs/uploads/initiate', { name, file_size: bytes.length });
    const first = await initiated(owner, bytes, { name: 'first' });
    const second = await initiated(owner, bytes, { name: 'second' });
    const files = ['a', 'b', 'deep/c'].map((path) => ({ path, file_size: 9 }));

    const { status, body } = await owner.post('/cogs/uploads/batch', { files });

    assert.equal(status, 201);
    const outcomes = body.uploads.map(({ error }: { error?: { code: string } }) => error?.code);
    assert.deepEqual(outcomes, [undefined, 'too_many_uploads', 'too_many_uploads']);
    const refused = await announce('more');
    assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_uploads']);
    const { detail } = refused.body;
    assert.match(detail, /^You have 3 uploads .*Confirm or abort some .*GET \/cogs\/uploads/);
    assert.ok(detail.includes(`the next one expires at ${first.expires_at}`), detail);
    await initiated(editor, bytes, { name: 'of another' });

    const { status: confirmed } = await confirm(owner, first, 9, await sent(first, bytes));
    assert.equal(confirmed, 201);
    assert.equal((await announce('after a confirmation')).status, 201);
    assert.equal((await announce('more')).status, 409);
    await owner.delete(`/cogs/uploads/${second.upload_id}`);
    assert.equal((await announce('after an abort')).status, 201);
  });
});
