/** Starts a run after one that failed: as that one, but for what is changed; what worked is taken over. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { allRows } from '@cogworks/sdk/pages';
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
  const body = bodyAfter(run, await inputsOf(run), without);
  const path = { version_id };
  return api.startRun({ path, body, idempotencyKey: keyOf([path, body]) });
}

type Given = Pick<
  Run,
  'id' | 'extra_variables' | 'on_failure' | 'keep_results' | 'max_credits' | 'until'
>;

export function bodyAfter(run: Given, inputs: readonly number[], without?: number) {
  return {
    cog_ids: inputs.filter((id) => id !== without),
    extra_variables: run.extra_variables,
    reuse_from_run_id: run.id,
    on_failure: run.on_failure,
    keep_results: run.keep_results,
    ...(run.max_credits === undefined ? {} : { max_credits: run.max_credits }),
    ...(run.until === undefined ? {} : { until: run.until }),
  };
}

async function inputsOf(run: Run): Promise<number[]> {
  if (!run.run_files_total)
    return run.run_files.filter((one) => one.direction === 'input').map((one) => one.cog_id);
  const query = { direction: 'input' as const, limit: 1000 };
  const ids: number[] = [];
  for await (const file of allRows(api, 'listRunFiles', { path: { run_id: run.id }, query }))
    ids.push(file.cog_id);
  return ids;
}
