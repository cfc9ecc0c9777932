/** Says at once why nothing can be changed here, and what can be done instead. */
import type { Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
  const owner = nameOf(workflow.created_by);
  const number = version.version_number;
  const why = {
    draft: t`Only ${owner} and administrators can change this workflow.`,
    published: t`Version ${number} is published, and never changes.`,
    archived: t`Version ${number} is archived, and never changes.`,
  };
  return (
    <div className={classes.line}>
      <Text size="sm">
        {why[version.state]}
        {error != null && ` ${wordsOf(error).message}`}
      </Text>
      {mayChange ? (
        <Button size="compact-sm" loading={draft.isPending} onClick={keep}>
          <Trans>Edit in a new draft</Trans>
        </Button>
      ) : (
        <Button size="compact-sm" loading={copied.isPending} onClick={copy}>
          <Trans>Edit a copy</Trans>
        </Button>
      )}
    </div>
  );
}
