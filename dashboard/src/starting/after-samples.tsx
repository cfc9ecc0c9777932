/** After a run on samples: what its outcome means, and what to do next. */
import type { RunFile, WorkflowRun } from '@cogworks/sdk/contract.gen';
import { isTerminal } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Title } from '@mantine/core';
import { IconUpload, IconUserPlus } from '@tabler/icons-react';
import { EditButton } from '../edit-button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { useVersions, useWorkflow } from '../workflows.ts';
import { outcomeWords, sampleOutcome } from './first-steps.ts';
import { FirstSteps } from './first-steps-list.tsx';
import { useIsShowingFirstSteps } from './first-steps-memory.ts';
import classes from './starting.module.css';
import { useTemplates } from './templates.ts';

type Props = { run: WorkflowRun; inputs: readonly RunFile[] };

export function AfterSamples({ run, inputs }: Props) {
  const isShown = useIsShowingFirstSteps() && inputs.length > 0 && inputs.length < 10;
  const { data: templates } = useTemplates(isShown);
  const outcome = isShown && templates ? sampleOutcome(inputs, templates) : undefined;
  if (!outcome) return null;
  if (!isTerminal(run.status)) {
    return (
      <section className={classes.after} aria-labelledby="samples-run">
        <Title order={2} id="samples-run">
          <Trans>Your samples are being worked on</Trans>
        </Title>
        <p>
          <Trans>
            Each box below is a step; it runs in a container of its own, for every file side by
            side. The first run may wait a moment while its programs are fetched. Nothing to do:
            this page follows by itself.
          </Trans>
        </p>
      </section>
    );
  }
  const { worked, all } = outcome;
  return (
    <>
      <section className={classes.after} aria-labelledby="samples-run">
        <Title order={2} id="samples-run">
          <Plural
            value={all}
            one={`${worked} of # sample worked`}
            other={`${worked} of # samples worked`}
          />
        </Title>
        <p>{outcomeWords(outcome, run.status)}</p>
        <Next run={run} />
      </section>
      <FirstSteps />
    </>
  );
}

const Next = ({ run }: Pick<Props, 'run'>) => (
  <div className={classes.next}>
    <ButtonLink to="/files" leftSection={<IconUpload size={16} />} size="sm">
      <Trans>Use your own files</Trans>
    </ButtonLink>
    <ChangeStep workflowId={run.workflow_id} />
    {run.output_folder_id !== undefined && (
      <ButtonLink
        to="/files/$folderId"
        params={{ folderId: String(run.output_folder_id) }}
        variant="default"
        leftSection={<IconUserPlus size={16} />}
        size="sm"
      >
        <Trans>Share the results</Trans>
      </ButtonLink>
    )}
  </div>
);

/** Leads to a draft in the builder. */
function ChangeStep({ workflowId: id }: { workflowId: number }) {
  const workflow = useWorkflow(id);
  const versions = useVersions(id);
  if (!workflow.data || !versions.data) return null;
  return <EditButton workflow={workflow.data} versions={versions.data} label={t`Change a step`} />;
}
