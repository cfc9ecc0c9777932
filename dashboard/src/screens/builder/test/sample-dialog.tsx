/** What tests take: files, and values of the variables. */
import type { Variable } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ChosenFiles } from '../../../run-inputs/chosen-files.tsx';
import { defaultsOf, valuesOf } from '../../../run-inputs/variables.ts';
import { VariablesForm } from '../../../run-inputs/variables-form.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useEditor } from '../editor.ts';
import { useTester } from './testing.ts';

type Props = { onClose: () => void; onDone: () => void };

export function SampleDialog({ onClose, onDone }: Props) {
  const tester = useTester();
  const { graph } = useEditor().getState();
  const variables = graph.variables as Variable[];
  const sample = tester?.store.get().sample;
  const [files, setFiles] = useState<number[]>([...(sample?.cog_ids ?? [])]);
  const [values, setValues] = useState(() => defaultsOf(variables, sample?.variables));
  return (
    <Dialog opened onClose={onClose} title={t`What to test with`}>
      <Stack gap="md">
        <Text size="sm" c="var(--faint)">
          <Trans>
            One small file is enough. Only the step you choose and what leads to it run, and what
            has not changed since the test before is taken over.
          </Trans>
        </Text>
        <div>
          <ChosenFiles ids={files} onChange={setFiles} />
        </div>
        {variables.length > 0 && (
          <VariablesForm
            variables={variables}
            values={values}
            faults={{}}
            onChange={(name, value) => setValues({ ...values, [name]: value })}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            disabled={graph.inputs.length > 0 && files.length === 0}
            onClick={() => {
              tester?.setSample({ cog_ids: files, variables: valuesOf(variables, values) });
              onDone();
            }}
          >
            <Trans>Use these</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
