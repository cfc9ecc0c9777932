/** A new workflow: asks for its name, and leads to the builder with an empty draft. */
import { Button, type ButtonProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { NameDialog } from '../../name-dialog.tsx';
import { useCreateWorkflow } from '../../workflows.ts';

/** Its files have a name, so that the first step has something to take. */
const emptyGraph = { nodes: [], edges: [], inputs: [{ name: 'files' }], variables: [] };

export function NewWorkflowButton(props: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { create, isPending, error, reset } = useCreateWorkflow();
  return (
    <>
      <Button leftSection={<IconPlus size={17} />} onClick={() => setOpen(true)} {...props}>
        New workflow
      </Button>
      {isOpen && (
        <NameDialog
          opened
          title="New workflow"
          verb="Create"
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
