/** Starts a run and opens it. Pressing twice, or again after a lost answer, starts only one run. */

import type { StartRun } from '@cogworks/sdk/contract.gen';
import { ApiError, type FieldFault } from '@cogworks/sdk/errors';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useRequestKey } from '../../request-key.ts';

const noFaults: readonly FieldFault[] = [];

export function useStartRun() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const keyOf = useRequestKey();

  const mutation = useMutation({
    mutationFn: ({ versionId, start }: { versionId: number; start: StartRun }) =>
      api.startRun({
        path: { version_id: versionId },
        body: start,
        idempotencyKey: keyOf([versionId, start]),
      }),
    onSuccess: ({ workflow_run_id }) => {
      void client.invalidateQueries({ queryKey: ['runs'] });
      void navigate({ to: '/runs/$runId', params: { runId: String(workflow_run_id) } });
    },
  });
  return {
    run: (versionId: number, start: StartRun) => mutation.mutate({ versionId, start }),
    isPending: mutation.isPending,
    error: mutation.error,
    fields: mutation.error instanceof ApiError ? mutation.error.fields : noFaults,
  };
}
