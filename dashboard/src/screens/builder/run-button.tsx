/** Leads from the builder to a new run of the version that is shown, on the files it is tested with. */
import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { type MouseEvent, useState } from 'react';
import { withRunFiles } from '../../run-files.ts';
import { keptSample } from '../../run-inputs/sample.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { useSaver } from './draft/draft-context.ts';
import { useEditorState } from './editor.ts';
import { withoutHints } from './faults/check.ts';
import { useTester, useTestState } from './test/testing.ts';

type Props = { version: WorkflowVersion };

export function RunButton({ version }: Props) {
  const isFaulty = useEditorState(({ faults }) => withoutHints(faults).length > 0);
  const why =
    version.state === 'archived'
      ? t`An archived version cannot run`
      : version.state === 'draft' && isFaulty
        ? t`The faults have to be mended before it can run`
        : undefined;
  if (why === undefined) return <RunLink version={version} />;
  return (
    <Tooltip label={why} events={{ hover: true, focus: true, touch: true }}>
      <Button size="compact-sm" variant="default" data-disabled aria-disabled>
        <Trans>Run…</Trans>
      </Button>
    </Tooltip>
  );
}

function RunLink({ version }: Props) {
  const saver = useSaver();
  const navigate = useNavigate();
  const [isSaving, setSaving] = useState(false);
  const { search, state } = withRunFiles(useSampleFiles(version.workflow_id));
  const to = {
    to: '/runs/new',
    search: { ...search, workflow: version.workflow_id, version: version.id },
    state,
  } as const;

  // The run takes the draft as the service has it.
  const saveFirst = async (event: MouseEvent) => {
    if (!saver || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    setSaving(true);
    const isSaved = await saver.flush();
    setSaving(false);
    if (isSaved) return void navigate(to);
    notifications.show({ color: 'red', message: t`The draft could not be saved yet.` });
  };
  return (
    <ButtonLink
      {...to}
      size="compact-sm"
      variant="default"
      loading={isSaving}
      onClick={(event) => void saveFirst(event)}
    >
      <Trans>Run…</Trans>
    </ButtonLink>
  );
}

/** Only drafts are tested; what one was tested with is still known when it has been published. */
function useSampleFiles(workflowId: number): readonly number[] {
  const tester = useTester();
  const tested = useTestState(({ sample }) => sample.cog_ids);
  const [kept] = useState(() => keptSample(workflowId).cog_ids);
  return tester ? tested : kept;
}
