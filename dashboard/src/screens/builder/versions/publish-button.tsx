/** Publishes the draft that is edited: saves what there is, and shows what changes. */
import { changesBetween } from '@cogworks/graph/edit/changes';
import type { Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { api } from '../../../api.ts';
import { useCommands } from '../../../commands/use-commands.ts';
import { asGraph } from '../../../contract-graph.ts';
import { LoadedDialog } from '../../../ui/loaded-dialog.tsx';
import { useSetAddress } from '../address.ts';
import { useSaver } from '../draft/draft-context.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { withoutHints } from '../faults/check.ts';
import { useTester } from '../test/testing.ts';

const PublishDialog = lazy(async () => ({
  default: (await import('../../../versions/publish-dialog.tsx')).PublishDialog,
}));

type Props = { workflow: Workflow; version: WorkflowVersion };

export function PublishButton({ workflow, version }: Props) {
  const client = useQueryClient();
  const setAddress = useSetAddress();
  const [isOpen, setOpen] = useState(false);
  const isFaulty = useEditorState(({ faults }) => withoutHints(faults).length > 0);
  const read = useSavedDraft(version.id);
  const tester = useTester();
  useCommands([
    {
      ...{ id: 'publish', label: t`Publish…`, icon: IconRocket, run: () => setOpen(true) },
      about: isFaulty ? t`Has faults` : undefined,
    },
  ]);
  return (
    <>
      <Button
        size="compact-sm"
        variant={isFaulty ? 'default' : 'filled'}
        onClick={() => setOpen(true)}
      >
        <Trans>Publish…</Trans>
      </Button>
      {isOpen && (
        <LoadedDialog onClose={() => setOpen(false)}>
          <PublishDialog
            workflow={workflow}
            version={version}
            read={read}
            kept={
              tester ? { sample: tester.store.get().sample, keep: tester.setSample } : undefined
            }
            onShowFaults={() => setAddress({ panel: 'faults' })}
            onPublished={() =>
              void client.invalidateQueries({ queryKey: ['opened-version', version.id] })
            }
            onClose={() => setOpen(false)}
          />
        </LoadedDialog>
      )}
    </>
  );
}

/** Saves what there is, and reads it again: only what the service has can be published. */
function useSavedDraft(version_id: number) {
  const editor = useEditor();
  const saver = useSaver();
  return async () => {
    if (saver && !(await saver.flush())) throw new Error(t`The draft could not be saved yet.`);
    const draft = await api.getWorkflowVersion({ path: { version_id } });
    if (changesBetween(asGraph(draft.graph), editor.getState().graph).length > 0) {
      await saver?.pull();
      throw new Error(t`Somebody changed the draft at this moment. Look at it, and try again.`);
    }
    return draft;
  };
}
