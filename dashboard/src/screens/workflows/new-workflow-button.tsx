/** A new workflow: asks for its name, and leads to the builder with an empty draft. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, type ButtonProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useCommands } from '../../commands/use-commands.ts';
import { NameDialog } from '../../name-dialog.tsx';
import { useCreateWorkflow } from '../../workflows.ts';

/** Its files have a name, so that the first step has something to take. */
const emptyGraph = { nodes: [], edges: [], inputs: [{ name: 'files' }], variables: [] };

export function NewWorkflowButton(props: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { create, isPending, error, reset } = useCreateWorkflow();
  useCommands([
    {
      ...{ id: 'new workflow', label: t`New workflow…`, words: t`create`, icon: IconPlus },
      run: () => setOpen(true),
    },
  ]);
  return (
    <>
      <Button leftSection={<IconPlus size={17} />} onClick={() => setOpen(true)} {...props}>
        <Trans>New workflow</Trans>
      </Button>
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
