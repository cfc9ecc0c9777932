/** A new workflow: asks for its name, and leads to the builder with an empty draft. */
import { t } from '@lingui/core/macro';
import type { ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { NewButton } from '../../commands/new-button.tsx';
import { NameDialog } from '../../name-dialog.tsx';
import { useCreateWorkflow } from '../../workflows.ts';

/** Its files have a name, so that the first step has something to take. */
const emptyGraph = { nodes: [], edges: [], inputs: [{ name: 'files' }], variables: [] };

export function NewWorkflowButton(props: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { create, isPending, error, reset } = useCreateWorkflow();
  return (
    <>
      <NewButton
        {...props}
        id="new workflow"
        label={t`New workflow`}
        words={t`create`}
        onNew={() => setOpen(true)}
      />
      {isOpen && (
        <NameDialog
          opened
          title={t`New workflow`}
          verb={t`Create`}
          name=""
          isBusy={isPending}
          error={error}
          onSubmit={(name) => create({ name, graph: emptyGraph })}
          onClose={() => {
            reset();
            setOpen(false);
          }}
        />
      )}
    </>
  );
}
