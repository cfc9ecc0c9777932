/** One template: its graph, what it needs, and the way to a workflow of it. */
import type { Me, TemplateRequirement, WorkflowTemplate } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlayerPlay, IconPlus, IconTrash } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { fullName, useMe, useUsers } from '../../people.ts';
import { readinessOf } from '../../starting/readiness.ts';
import { SampleList } from '../../starting/sample-list.tsx';
import { useSamplesStart, useTemplate } from '../../starting/templates.ts';
import { Await, Problem } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { graphParts } from '../../ui/graph-parts.ts';
import { GraphView } from '../../ui/graph-view.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Tag } from '../../ui/tag.tsx';
import { useDeletion } from './queries.ts';
import { Requirements } from './requirements.tsx';
import classes from './templates.module.css';
import { UseTemplateDialog } from './use-template-dialog.tsx';

export function TemplateScreen() {
  const { templateId } = useParams({ strict: false });
  return <TemplateOf key={templateId} id={Number(templateId)} />;
}

function TemplateOf({ id }: { id: number }) {
  const template = useTemplate(id);
  const { data: me } = useMe();
  return (
    <Screen
      title={template.data?.name ?? t`Template`}
      lead={
        <Anchor component={Link} to="/workflows/templates" size="sm" c="var(--faint)">
          <Trans>Templates</Trans>
        </Anchor>
      }
      aside={template.data?.category && <Tag>{template.data.category}</Tag>}
      description={template.data && <About template={template.data} />}
      actions={template.data && <Actions template={template.data} me={me} />}
    >
      <Await query={template}>
        {({ graph, requirements, ...shown }) => (
          <>
            <Drawing graph={graph} />
            {shown.samples && <Samples template={shown} requirements={requirements} />}
            <Title order={2} className={classes.section}>
              <Trans>What it needs</Trans>
            </Title>
            <Requirements requirements={requirements} me={me} />
          </>
        )}
      </Await>
    </Screen>
  );
}

function About({ template }: { template: WorkflowTemplate }) {
  const { description, scope, created_by, is_shipped } = template;
  const { data: me } = useMe();
  const maker = useUsers()(created_by ?? 0);
  const by = is_shipped
    ? t`Comes with Cogworks.`
    : scope === 'platform'
      ? t`For all organizations.`
      : maker && (maker.id === me?.id ? t`Kept by you.` : t`Kept by ${fullName(maker)}.`);
  return (
    <>
      {description} {by}
    </>
  );
}

type SamplesProps = {
  template: Pick<WorkflowTemplate, 'id' | 'name' | 'description' | 'samples'>;
  requirements: readonly TemplateRequirement[];
};

function Samples({ template, requirements }: SamplesProps) {
  const start = useSamplesStart();
  return (
    <>
      <Title order={2} className={classes.section}>
        <Trans>Try it on samples</Trans>
      </Title>
      {start.error != null && <Problem error={start.error} title={t`The run did not start`} />}
      <div className={classes.samples}>
        <SampleList samples={template.samples ?? []} />
        <Button
          variant="light"
          leftSection={<IconPlayerPlay size={17} />}
          loading={start.isPending}
          disabled={!readinessOf(requirements).may_start}
          onClick={() => start.run(template)}
        >
          <Trans>Run on samples</Trans>
        </Button>
      </div>
    </>
  );
}

function Drawing({ graph }: Pick<WorkflowTemplate, 'graph'>) {
  const { nodes, edges } = useMemo(() => graphParts(graph), [graph]);
  return <GraphView label={t`Graph`} nodes={nodes} edges={edges} />;
}

type ActionsProps = { template: WorkflowTemplate; me: Me | undefined };

function Actions({ template, me }: ActionsProps) {
  const [action, setAction] = useState<'use' | 'delete'>();
  const close = () => setAction(undefined);
  return (
    <>
      {mayDelete(template, me) && (
        <Button
          variant="default"
          leftSection={<IconTrash size={17} />}
          onClick={() => setAction('delete')}
        >
          <Trans>Delete</Trans>
        </Button>
      )}
      <Button leftSection={<IconPlus size={17} />} onClick={() => setAction('use')}>
        <Trans>Use template</Trans>
      </Button>
      {action === 'use' && <UseTemplateDialog template={template} onClose={close} />}
      {action === 'delete' && <DeleteDialog template={template} onClose={close} />}
    </>
  );
}

/** As the service decides it. */
const mayDelete = (
  { scope, created_by, is_shipped }: WorkflowTemplate,
  me: Me | undefined,
): boolean =>
  me !== undefined &&
  !is_shipped &&
  (scope === 'platform' ? me.is_platform_admin : me.role === 'admin' || created_by === me.id);

type DialogProps = { template: WorkflowTemplate; onClose: () => void };

function DeleteDialog({ template: { id, name, scope }, onClose }: DialogProps) {
  const remove = useDeletion(id);
  const navigate = useNavigate();
  return (
    <Confirm
      opened
      title={t`Delete “${name}”`}
      verb={t`Delete`}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: async () => {
            notifications.show({ message: t`“${name}” is deleted.` });
            onClose();
            await navigate({ to: '/workflows/templates' });
          },
        })
      }
      onClose={onClose}
    >
      {scope === 'platform' && `${t`It disappears for all organizations.`} `}
      <Trans>Workflows that were made of it stay as they are. This cannot be undone.</Trans>
    </Confirm>
  );
}
