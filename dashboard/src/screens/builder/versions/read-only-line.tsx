/** Says at once why nothing can be changed here, and what can be done instead. */
import type { Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { Button, Text } from '@mantine/core';
import { useNames } from '../../../people.ts';
import { wordsOf } from '../../../ui/await.tsx';
import classes from '../builder.module.css';
import { useCopyOfWorkflow, useNewVersion } from './new-version.ts';

type Props = { workflow: Workflow; version: WorkflowVersion; mayChange: boolean };

export function ReadOnlyLine({ workflow, version, mayChange }: Props) {
  const nameOf = useNames();
  const { keep, ...draft } = useNewVersion(workflow.id);
  const { copy, ...copied } = useCopyOfWorkflow(workflow.name);
  const error = draft.error ?? copied.error;
  return (
    <div className={classes.line}>
      <Text size="sm">
        {version.state === 'draft'
          ? `Only ${nameOf(workflow.created_by)} and administrators can change this workflow.`
          : `Version ${version.version_number} is ${version.state}, and never changes.`}
        {error != null && ` ${wordsOf(error).message}`}
      </Text>
      {mayChange ? (
        <Button size="compact-sm" loading={draft.isPending} onClick={keep}>
          Edit in a new draft
        </Button>
      ) : (
        <Button size="compact-sm" loading={copied.isPending} onClick={copy}>
          Edit a copy
        </Button>
      )}
    </div>
  );
}
