/** A new run without a file that failed; everything else is taken over. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { allRows } from '@cogworks/sdk/pages';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../api.ts';
import { useRequestKey } from '../../../request-key.ts';
import { Confirm } from '../../../ui/confirm.tsx';

type Props = { run: Run; cogId: number; name: string; onClose: () => void };

export function SkipDialog({ run, cogId, name, onClose }: Props) {
  const navigate = useNavigate();
  const keyOf = useRequestKey();
  const start = useMutation({
    mutationFn: async () => {
      const cog_ids = (await inputsOf(run)).filter((id) => id !== cogId);
      const body = {
        cog_ids,
        extra_variables: run.extra_variables,
        reuse_from_run_id: run.id,
        on_failure: run.on_failure,
        keep_results: run.keep_results,
        ...(run.max_credits === undefined ? {} : { max_credits: run.max_credits }),
        ...(run.until === undefined ? {} : { until: run.until }),
      };
      const path = { version_id: run.workflow_version_id };
      return api.startRun({ path, body, idempotencyKey: keyOf(body) });
    },
    onSuccess: ({ workflow_run_id }) =>
      void navigate({ to: '/runs/$runId', params: { runId: String(workflow_run_id) } }),
  });
  return (
    <Confirm
      opened
      title={t`Go on without this file`}
      verb={t`Start without it`}
      isBusy={start.isPending}
      error={start.error}
      onConfirm={() => start.mutate()}
      onClose={onClose}
    >
      <Trans>
        A new run does the rest without “{name}”. What already worked is taken over, at no cost. The
        file itself stays where it is.
      </Trans>
    </Confirm>
  );
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
