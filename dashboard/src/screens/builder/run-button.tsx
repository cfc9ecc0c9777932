/** Leads from the builder to a new run of the version that is shown, on the files it is tested with. */
import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type MouseEvent, useMemo, useState } from 'react';
import { useCommands } from '../../commands/use-commands.ts';
import { useMe } from '../../people.ts';
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
  const reason =
    version.state === 'archived'
      ? t`An archived version cannot run`
      : version.state === 'draft' && isFaulty
        ? t`The faults have to be mended before it can run`
        : undefined;
  const { to, isSaving, lead } = useWayToRun(version);
  const run = { id: 'run', label: t`Run…`, words: t`start`, icon: IconPlayerPlay };
  useCommands([{ ...run, reason, run: () => void lead() }]);
  if (reason !== undefined)
    return (
      <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
        <Button size="compact-sm" variant="default" data-disabled aria-disabled>
          <Trans>Run…</Trans>
        </Button>
      </Tooltip>
    );
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void lead();
  };
  return (
    <ButtonLink {...to} size="compact-sm" variant="default" loading={isSaving} onClick={onClick}>
      <Trans>Run…</Trans>
    </ButtonLink>
  );
}

function useWayToRun({ id, workflow_id }: WorkflowVersion) {
  const saver = useSaver();
  const navigate = useNavigate();
  const [isSaving, setSaving] = useState(false);
  const { search, state } = withRunFiles(useSampleFiles(workflow_id));
  const to = {
    to: '/runs/new',
    search: { ...search, workflow: workflow_id, version: id },
    state,
  } as const;
  /** The run takes the draft as the service has it. */
  const lead = async () => {
    setSaving(true);
    const isSaved = !saver || (await saver.flush());
    setSaving(false);
    if (isSaved) return void navigate(to);
    notifications.show({ color: 'red', message: t`The draft could not be saved yet.` });
  };
  return { to, isSaving, lead };
}

/** Only drafts are tested; what one was tested with is still known when it has been published. */
function useSampleFiles(workflowId: number): readonly number[] {
  const tester = useTester();
  const tested = useTestState(({ sample }) => sample.cog_ids);
  const me = useMe().data?.id;
  const kept = useMemo(
    () => (me === undefined ? [] : keptSample(me, workflowId).cog_ids),
    [me, workflowId],
  );
  return tester ? tested : kept;
}
