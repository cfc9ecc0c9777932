/** Starts a run that takes over what it can of an earlier one. */
import { ApiError } from '@cogworks/sdk/errors';
import { api } from '../api.ts';
import { randomKey } from '../request-key.ts';
import { isGone } from './sample.ts';

type Start = Pick<Parameters<typeof api.startRun>[0], 'path' | 'body'>;

/**
 * Starts without the earlier run if that one is refused: it, or one of its files, which need not be
 * those of today, may be deleted by now. The start is not given up on the way, since it might have
 * happened.
 *
 * @param reuse the id of the earlier run.
 * @param signal aborted when nobody wants a second try any more.
 * @returns the id of the new run.
 */
export async function startTakingOver(
  { path, body }: Start,
  reuse: number | undefined,
  signal: AbortSignal,
): Promise<number> {
  const start = async (more: { reuse_from_run_id?: number }) => {
    const args = { path, body: { ...body, ...more }, idempotencyKey: randomKey() };
    return (await api.startRun(args)).workflow_run_id;
  };
  if (reuse === undefined) return start({});
  try {
    return await start({ reuse_from_run_id: reuse });
  } catch (error) {
    if (!isAboutEarlier(error) || signal.aborted) throw error;
    return start({});
  }
}

/** Any other refusal would meet the second try too, or is of the moment and costs what was done. */
function isAboutEarlier(error: unknown): boolean {
  if (isGone(error)) return true;
  if (!(error instanceof ApiError)) return false;
  return (
    error.code === 'run_not_finished' || error.fields.some(({ type }) => type === 'other_workflow')
  );
}
