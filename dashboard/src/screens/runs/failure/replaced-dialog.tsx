/** A new run with the contents that a file has now; everything else is taken over. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Confirm } from '../../../ui/confirm.tsx';
import { useStartAfter } from './start-after.ts';

type Props = { run: Run; name: string; onClose: () => void };

export function ReplacedDialog({ run, name, onClose }: Props) {
  const start = useStartAfter(run);
  return (
    <Confirm
      opened
      title={t`Run with the new version of the file`}
      verb={t`Start with it`}
      isHarmless
      isBusy={start.isPending}
      error={start.error}
      onConfirm={() => start.mutate()}
      onClose={onClose}
    >
      <Trans>
        A new run takes “{name}” as it is now, and every other file too. What worked and has not
        changed is taken over, at no cost.
      </Trans>
    </Confirm>
  );
}
