/** Starts a run after one that failed: as that one, but for what is changed; what worked is taken over. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { listAll } from '@cogworks/sdk/pages';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../api.ts';
import { useRequestKey } from '../../../request-key.ts';

/** @param without a file that the new run leaves out. */
export function useStartAfter(run: Run, without?: number) {
  const navigate = useNavigate();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: () => startAfter(run, { keyOf, without }),
    onSuccess: ({ workflow_run_id }) =>
      void navigate({ to: '/runs/$runId', params: { runId: String(workflow_run_id) } }),
  });
}

type Changed = {
  keyOf: (request: unknown) => string;
  without?: number | undefined;
  /** Of the same workflow, if it is another one than that of the run. */
  version_id?: number;
};

export async function startAfter(
  run: Run,
  { keyOf, without, version_id = run.workflow_version_id }: Changed,
) {
  const [inputs, folder] = await Promise.all([inputsOf(run), folderOf(run)]);
  const body = bodyAfter({ ...run, output_parent_id: folder }, inputs, without);
  const path = { version_id };
  return api.startRun({ path, body, idempotencyKey: keyOf([path, body]) });
}

type Given = Pick<
  Run,
  'id' | 'extra_variables' | 'priority' | 'on_failure' | 'keep_results' | 'max_credits' | 'until'
> & { output_parent_id?: number | undefined };

function bodyAfter(run: Given, inputs: readonly number[], without?: number) {
  return {
    cog_ids: inputs.filter((id) => id !== without),
    extra_variables: run.extra_variables,
    reuse_from_run_id: run.id,
    priority: run.priority,
    on_failure: run.on_failure,
    keep_results: run.keep_results,
    ...(run.output_parent_id === undefined ? {} : { output_parent_id: run.output_parent_id }),
    ...(run.max_credits === undefined ? {} : { max_credits: run.max_credits }),
    ...(run.until === undefined ? {} : { until: run.until }),
  };
}

/**
 * The folder that was given for the outputs. As for a restart, one that is gone prevents nothing, and
 * the outputs go to the usual place; one that may not be seen any more is left to the service to
 * refuse.
 */
async function folderOf({ output_parent_id: id }: Run): Promise<number | undefined> {
  if (id === undefined) return undefined;
  try {
    await api.getCog({ path: { id } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return undefined;
    if (error.status !== 403) throw error;
  }
  return id;
}

async function inputsOf(run: Run): Promise<number[]> {
  if (!run.run_files_total)
    return run.run_files.filter((one) => one.direction === 'input').map((one) => one.cog_id);
  const query = { direction: 'input' as const, limit: 1000 };
  const files = await listAll(api, 'listRunFiles', { path: { run_id: run.id }, query });
  return files.map(({ cog_id }) => cog_id);
}
