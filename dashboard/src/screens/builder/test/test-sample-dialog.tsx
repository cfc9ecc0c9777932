/** What tests of the draft take. */
import type { Variable } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SampleDialog } from '../../../run-inputs/sample-dialog.tsx';
import { useEditor } from '../editor.ts';
import { useTester } from './testing.ts';

type Props = { onClose: () => void; onDone: () => void };

export function TestSampleDialog({ onClose, onDone }: Props) {
  const tester = useTester();
  const { graph } = useEditor().getState();
  if (!tester) return null;
  return (
    <SampleDialog
      title={t`What to test with`}
      sample={tester.store.get().sample}
      needsFiles={graph.inputs.length > 0}
      variables={graph.variables as Variable[]}
      onUse={(sample) => {
        tester.setSample(sample);
        onDone();
      }}
      onClose={onClose}
    >
      <Trans>
        One small file is enough. Only the step you choose and what leads to it run, and what has
        not changed since the test before is taken over.
      </Trans>
    </SampleDialog>
  );
}
