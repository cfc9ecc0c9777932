/** One workflow: its graph, its versions, and a way to run each. */
import type {
  Graph,
  WorkflowVersionSummary as Version,
  Workflow,
} from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { EditButton } from '../../edit-button.tsx';
import { Await } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { graphParts } from '../../ui/graph-parts.ts';
import { GraphView } from '../../ui/graph-view.tsx';
import { Screen } from '../../ui/screen.tsx';
import { useVersions, useWorkflow } from '../../workflows.ts';
import { useVersionNews } from './version-news.ts';
import { VersionTable } from './version-table.tsx';
import { WorkflowTriggers } from './workflow-triggers.tsx';
import classes from './workflows.module.css';

export function WorkflowScreen() {
  const { workflowId } = useParams({ strict: false });
  const id = Number(workflowId);
  const workflow = useWorkflow(id);
  const versions = useVersions(id);
  const [shownId, setShownId] = useState<number>();
  useVersionNews(id);
  const navigate = useNavigate();
  const run = {
    ...{ id: 'run', label: t`Run this workflow…`, words: t`start`, icon: IconPlayerPlay },
    run: () => void navigate({ to: '/runs/new', search: { workflow: id } }),
  };
  useCommands(workflow.data ? [run] : []);

  return (
    <Screen
      title={workflow.data?.name ?? t`Workflow`}
      lead={
        <Anchor component={Link} to="/workflows" size="sm" c="var(--faint)">
          <Trans>Workflows</Trans>
        </Anchor>
      }
      description={workflow.data?.description}
      actions={
        workflow.data && (
          <>
            {versions.data && <EditButton workflow={workflow.data} versions={versions.data} />}
            <ButtonLink
              to="/runs/new"
              search={{ workflow: id }}
              leftSection={<IconPlayerPlay size={17} />}
            >
              <Trans>Run…</Trans>
            </ButtonLink>
          </>
        )
      }
    >
      <Await query={versions}>
        {(rows) => {
          const shown = rows.find((one) => one.id === shownId) ?? newest(rows, workflow.data);
          return (
            <>
              {shown && <VersionGraph version={shown} />}
              <Title order={2} className={classes.section}>
                <Trans>Versions</Trans>
              </Title>
              <VersionTable
                workflow={workflow.data}
                rows={rows}
                shownId={shown?.id}
                onShow={setShownId}
              />
              <WorkflowTriggers workflowId={id} />
            </>
          );
        }}
      </Await>
    </Screen>
  );
}

function newest(versions: readonly Version[], workflow: Workflow | undefined) {
  return (
    versions.find((one) => one.id === workflow?.published_version_id) ??
    versions.toSorted((a, b) => b.version_number - a.version_number)[0]
  );
}

function VersionGraph({ version }: { version: Version }) {
  const { id, version_number } = version;
  // A draft's graph changes, and so does its hash.
  const query = useQuery({
    queryKey: ['version', id, version.graph_hash],
    queryFn: () => api.getWorkflowVersion({ path: { version_id: id } }),
  });
  return (
    <Await query={query}>
      {({ graph }) => <Drawing label={t`Graph of version ${version_number}`} graph={graph} />}
    </Await>
  );
}

function Drawing({ label, graph }: { label: string; graph: Graph }) {
  const { nodes, edges } = useMemo(() => graphParts(graph), [graph]);
  return <GraphView label={label} nodes={nodes} edges={edges} />;
}
