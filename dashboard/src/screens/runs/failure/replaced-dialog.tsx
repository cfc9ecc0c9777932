/** A new run with the contents that a file has now; everything else is taken over. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { Confirm } from '../../../ui/confirm.tsx';
import { useOtherChanges } from './changed-files.ts';
import { useStartAfter } from './start-after.ts';

type Props = { run: Run; cogId: number; name: string; onClose: () => void };

export function ReplacedDialog({ run, cogId, name, onClose }: Props) {
  const start = useStartAfter(run);
  const changed = useOtherChanges(run, cogId);
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
      {changed && changed.length > 0 && <OtherChanges names={changed} />}
    </Confirm>
  );
}

function OtherChanges({ names }: { names: readonly string[] }) {
  const shown = names.slice(0, 3).join(', ');
  const more = names.length - 3;
  return (
    <Text size="sm" mt="sm" style={{ overflowWrap: 'anywhere' }}>
      <Trans>Changed since that run too, and done anew: {shown}</Trans>
      {more > 0 && (
        <>
          {' '}
          <Plural value={more} one="and # more" other="and # more" />
        </>
      )}
    </Text>
  );
}
