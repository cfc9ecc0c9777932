/** What is known of a limit to be raised, and the request to raise it. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { catalogueKey } from '../../../catalogue.ts';
import { useRequestKey } from '../../../request-key.ts';
import type { LimitName } from './raised-limit.ts';
import { raise, readKnown } from './raising.ts';
import type { Done, Plan } from './raising-plan.ts';

const keyOf = (run: Run, definitionId: number) => ['raising', run.id, definitionId];

export const useKnown = (run: Run, definitionId: number) =>
  useQuery({
    queryKey: keyOf(run, definitionId),
    queryFn: () => readKnown(run, definitionId),
    // What is offered depends on what others do: it is read anew each time.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

export function useRaisedLimit(run: Run, definitionId: number, name: LimitName) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [done, setDone] = useState<Done>({});
  const [definition, version, started] = [useRequestKey(), useRequestKey(), useRequestKey()];
  const queryKey = keyOf(run, definitionId);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (wanted: { amount: number; shown: Plan }) =>
      raise(
        { run, definitionId, name, ...wanted, done },
        {
          onKnown: (known) => client.setQueryData(queryKey, known),
          onDone: (more) => setDone((old) => ({ ...old, ...more })),
          keys: { definition, version, run: started },
        },
      ),
    onSettled: () => {
      const keys = [catalogueKey, ['versions'], ['workflow'], ['workflows'], ['runs']];
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    },
    // Somebody else may be the reason.
    onError: () => void client.invalidateQueries({ queryKey }),
    onSuccess: ({ workflow_run_id, version: { version_number }, isPublished }) => {
      const message = isPublished
        ? t`Version ${version_number} is published, and runs with the higher limit.`
        : t`Version ${version_number} runs with the higher limit, as a draft.`;
      notifications.show({ message });
      void navigate({ to: '/runs/$runId', params: { runId: String(workflow_run_id) } });
    },
  });
  return { raise: mutate, isPending, error, done };
}
