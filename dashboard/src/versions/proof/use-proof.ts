/** A proof as long as its dialog is open: what is under way then is cancelled. */
import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Sample } from '../../run-inputs/sample.ts';
import { wordsOf } from '../../ui/await.tsx';
import { type ProofState, prove } from './prove.ts';
import { outcomeOf } from './words.ts';

/** The dialog may be closed by then. */
const onNotCancelled = (runId: number, error: unknown) =>
  notifications.show({
    color: 'red',
    title: t`Run ${runId} could not be stopped, and goes on`,
    message: wordsOf(error).message,
  });

export function useProof(before: WorkflowVersion, now: WorkflowVersion) {
  const [state, setState] = useState<ProofState>();
  const [isUnderWay, setUnderWay] = useState(false);
  const client = useQueryClient();
  const waiting = useRef(new AbortController());
  useEffect(() => () => waiting.current.abort(), []);
  const [was, is] = [state?.before.ended, state?.now.ended];
  const { version_number } = before;
  // Of ten thousand samples it takes a while.
  const outcome = useMemo(() => outcomeOf(was, is, version_number), [was, is, version_number]);
  return {
    state,
    outcome,
    isUnderWay,
    start(sample: Sample) {
      waiting.current.abort();
      waiting.current = new AbortController();
      const { signal } = waiting.current;
      setUnderWay(true);
      void prove({ before, now, sample, onChange: setState, onNotCancelled, signal }).then(
        (isDone) => {
          if (signal.aborted) return;
          setUnderWay(false);
          // A sample may be gone: which, is seen when they are read again.
          if (!isDone)
            for (const id of sample.cog_ids)
              void client.invalidateQueries({ queryKey: ['cog', id] });
        },
      );
    },
    stop() {
      waiting.current.abort();
      setUnderWay(false);
      setState(undefined);
    },
  };
}
