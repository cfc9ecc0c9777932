/** A new run without a file that failed; everything else is taken over. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Confirm } from '../../../ui/confirm.tsx';
import { useStartAfter } from './start-after.ts';

type Props = { run: Run; cogId: number; name: string; onClose: () => void };

export function SkipDialog({ run, cogId, name, onClose }: Props) {
  const start = useStartAfter(run, cogId);
  return (
    <Confirm
      opened
      title={t`Go on without this file`}
      verb={t`Start without it`}
      isHarmless
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
