/** Runs an ended run again: all of it, what failed, or what was chosen; with other variables. */
import type {
  WorkflowRun as Run,
  Variable,
  WorkflowVersion as Version,
} from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { creditsFault, creditsIn } from '../../run-inputs/credits.ts';
import { CreditsField } from '../../run-inputs/credits-field.tsx';
import {
  defaultsOf,
  type FieldValues,
  faultsByVariable,
  valuesOf,
} from '../../run-inputs/variables.ts';
import { VariablesForm } from '../../run-inputs/variables-form.tsx';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useRestart } from './queries.ts';
import { changedValues } from './restart-values.ts';
import { sentencesOf, titleOf, type WhatRuns } from './restart-words.ts';

type Props = { run: Run; version: Version; what: WhatRuns; onClose: () => void };

export function RestartDialog({ run, version, what, onClose }: Props) {
  const { variables } = version;
  const [before] = useState(() => fieldsOf(variables, run.extra_variables));
  const [values, setValues] = useState<FieldValues>(before);
  const [credits, setCredits] = useState(run.max_credits?.toString() ?? '');
  const restart = useRestart(run.id);
  const faults = restart.error instanceof ApiError ? restart.error.fields : [];
  const { byName, others } = faultsByVariable(faults, variables);
  const limit = creditsIn(credits);
  const needsLimit = run.max_credits !== undefined;
  const isValid = !needsLimit || (limit !== undefined && creditsFault(credits) === undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isValid) return;
    const changed = changedValues(valuesOf(variables, before), valuesOf(variables, values));
    restart.mutate({
      ...('only' in what ? { only: what.only } : { mode: what.mode }),
      ...(Object.keys(changed).length === 0 ? {} : { extra_variables: changed }),
      ...(needsLimit && limit !== undefined ? { max_credits: limit } : {}),
    });
  };
  return (
    <Dialog opened onClose={onClose} title={titleOf(what, run)}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm">{sentencesOf(what, run)}</Text>
          {restart.error && (faults.length === 0 || others.length > 0) && (
            <Problem
              title={t`The run could not be restarted`}
              error={others.length > 0 ? new Error(others.join(' ')) : restart.error}
            />
          )}
          {variables.length > 0 && (
            <VariablesForm
              variables={variables}
              values={values}
              faults={byName}
              onChange={(name, value) => setValues((old) => ({ ...old, [name]: value }))}
            />
          )}
          {needsLimit && (
            <CreditsField
              value={credits}
              onChange={setCredits}
              fault={limit === undefined ? t`A run that had a limit gets one again.` : undefined}
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={restart.isPending} disabled={!isValid} data-autofocus>
              {titleOf(what, run)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** What the run had, or the default. */
function fieldsOf(variables: readonly Variable[], given: Record<string, unknown>): FieldValues {
  return defaultsOf(
    variables.map((variable) =>
      Object.hasOwn(given, variable.variable_name)
        ? { ...variable, default: given[variable.variable_name] }
        : variable,
    ),
  );
}
