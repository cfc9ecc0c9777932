import { ApiError } from '@cogworks/sdk/errors';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '../api.ts';
import { startTakingOver } from './start-taking-over.ts';

/** @returns the earlier runs that the tries named, after a first one that is refused like that. */
async function triesAfter(refusal: Error, signal = new AbortController().signal) {
  const startRun = vi.spyOn(api, 'startRun').mockResolvedValue({ workflow_run_id: 8 } as never);
  startRun.mockRejectedValueOnce(refusal);
  const start = { path: { version_id: 2 }, body: { cog_ids: [1] } };
  const id = await startTakingOver(start, 7, signal).catch((error) => error);
  return [id, ...startRun.mock.calls.map(([{ body }]) => body.reuse_from_run_id)];
}

afterEach(() => vi.restoreAllMocks());

const field = (type: string) => ({ detail: [{ loc: ['body', 'of'], msg: 'No.', type }] });

describe('a run that takes over from an earlier one', () => {
  it.each([
    ['that is gone', new ApiError(404, { detail: 'There is no such run.' })],
    ['that may not be used any more', new ApiError(403, { detail: 'No longer.' })],
    ['that has not ended', new ApiError(409, { detail: 'Not yet.', code: 'run_not_finished' })],
    ['that is of another workflow', new ApiError(422, field('other_workflow'))],
  ])('%s starts without it', async (_, refusal) => {
    expect(await triesAfter(refusal)).toEqual([8, 7, undefined]);
  });

  it.each([
    ['a session that has ended', new ApiError(401, { detail: 'Sign in.' })],
    ['too many requests', new ApiError(429, { detail: 'Later.' })],
    ['a draft that changed', new ApiError(409, { detail: 'Again.', code: 'version_changed' })],
    ['missing credits', new ApiError(409, { detail: 'None.', code: 'insufficient_credits' })],
    ['a fault of its own', new ApiError(422, field('empty'))],
    ['a fault of the service', new ApiError(503, { detail: 'Busy.' })],
    ['the network', new TypeError('Failed to fetch')],
  ])('is not tried again after %s', async (_, refusal) => {
    expect(await triesAfter(refusal)).toEqual([refusal, 7]);
  });

  it('is not tried again when nobody waits for it any more', async () => {
    const refusal = new ApiError(404, { detail: 'There is no such run.' });
    expect(await triesAfter(refusal, AbortSignal.abort())).toEqual([refusal, 7]);
  });
});
