/** A new workflow: asks for its name, and leads to the builder with an empty draft. */
import { Button, type ButtonProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { NameDialog } from '../../name-dialog.tsx';
import { useRequestKey } from '../../request-key.ts';

/** Its files have a name, so that the first step has something to take. */
const emptyGraph = { nodes: [], edges: [], inputs: [{ name: 'files' }], variables: [] };

export function NewWorkflowButton(props: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const keyOf = useRequestKey();
  const create = useMutation({
    mutationFn: (name: string) => {
      const body = { name, graph: emptyGraph };
      return api.createWorkflow({ body, idempotencyKey: keyOf(body) });
    },
    onSuccess: ({ id, latest_version_id }) => {
      void client.invalidateQueries({ queryKey: ['workflows'] });
      void navigate({
        to: '/workflows/$workflowId/versions/$versionId',
        params: { workflowId: String(id), versionId: String(latest_version_id) },
      });
    },
  });
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
          isBusy={create.isPending}
          error={create.error}
          onSubmit={(name) => create.mutate(name)}
          onClose={() => {
            create.reset();
            setOpen(false);
          }}
        />
      )}
    </>
  );
}
