/** Asks what to try a workflow with: files, and values of the variables. */
import type { Variable } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { ChosenFiles } from './chosen-files.tsx';
import { missingValues, type Sample, withoutDefaults } from './sample.ts';
import { defaultsOf, valuesOf } from './variables.ts';
import { VariablesForm } from './variables-form.tsx';

type Props = {
  title: string;
  /** What becomes of them. */
  children: ReactNode;
  sample: Sample;
  needsFiles: boolean;
  variables: readonly Variable[];
  onUse: (sample: Sample) => void;
  onClose: () => void;
};

export function SampleDialog({
  title,
  children,
  sample,
  needsFiles,
  variables,
  onUse,
  onClose,
}: Props) {
  const [files, setFiles] = useState<number[]>([...sample.cog_ids]);
  const [values, setValues] = useState(() => defaultsOf(variables, sample.variables));
  const [isTried, setTried] = useState(false);
  const given = valuesOf(variables, values);
  const missing = missingValues(given, variables);
  const use = () => {
    setTried(true);
    if (missing.length > 0) return;
    onUse({ cog_ids: files, variables: withoutDefaults(given, variables) });
  };
  return (
    <Dialog opened onClose={onClose} title={title}>
      <Stack gap="md">
        <Text size="sm" c="var(--faint)">
          {children}
        </Text>
        <div>
          <ChosenFiles ids={files} onChange={setFiles} />
        </div>
        {variables.length > 0 && (
          <VariablesForm
            variables={variables}
            values={values}
            faults={isTried ? faultsOf(missing) : {}}
            onChange={(name, value) => setValues({ ...values, [name]: value })}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button disabled={needsFiles && files.length === 0} onClick={use}>
            <Trans>Use these</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const faultsOf = (missing: readonly string[]) =>
  Object.fromEntries(missing.map((name) => [name, t`A value is required.`]));
