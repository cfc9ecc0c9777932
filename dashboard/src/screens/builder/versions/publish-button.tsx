/** Publishes the draft, after a look at what changes. */
import type { Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useEditorState } from '../editor.ts';
import { isHint } from '../faults/check.ts';

const PublishDialog = lazy(async () => ({
  default: (await import('./publish-dialog.tsx')).PublishDialog,
}));

type Props = { workflow: Workflow; version: WorkflowVersion };

export function PublishButton({ workflow, version }: Props) {
  const [isOpen, setOpen] = useState(false);
  const isFaulty = useEditorState(({ faults }) => faults.some((fault) => !isHint(fault)));
  return (
    <>
      <Button
        size="compact-sm"
        variant={isFaulty ? 'default' : 'filled'}
        onClick={() => setOpen(true)}
      >
        Publish…
      </Button>
      {isOpen && (
        <Suspense>
          <PublishDialog workflow={workflow} version={version} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
