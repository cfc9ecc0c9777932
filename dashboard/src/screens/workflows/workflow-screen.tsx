/** One workflow: its graph, its versions, and a way to run each. */

import type {
  Graph,
  WorkflowVersionSummary as Version,
  Workflow,
} from '@cogworks/sdk/contract.gen';
import { Anchor, Button, Group, Title, VisuallyHidden } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { Await, Problem } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { plural } from '../../ui/format.ts';
import { graphParts } from '../../ui/graph-parts.ts';
import { GraphView } from '../../ui/graph-view.tsx';
import { Screen } from '../../ui/screen.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import { useVersionNews } from './version-news.ts';
import classes from './workflows.module.css';

export function WorkflowScreen() {
  const { workflowId } = useParams({ strict: false });
  const id = Number(workflowId);
  const workflow = useQuery({
    queryKey: ['workflow', id],
    queryFn: () => api.getWorkflow({ path: { id } }),
  });
  const versions = useQuery({
    queryKey: ['versions', id],
    queryFn: () => api.listWorkflowVersions({ path: { id }, query: { limit: 1000 } }),
  });
  const [shownId, setShownId] = useState<number>();
  useVersionNews(id);

  return (
    <Screen
      title={workflow.data?.name ?? 'Workflow'}
      lead={
        <Anchor component={Link} to="/workflows" size="sm" c="var(--faint)">
          Workflows
        </Anchor>
      }
      description={workflow.data?.description}
      actions={
        <ButtonLink
          to="/runs/new"
          search={{ workflow: id }}
          leftSection={<IconPlayerPlay size={17} />}
        >
          Run…
        </ButtonLink>
      }
    >
      <Await query={versions}>
        {(rows) => {
          const shown = rows.find((one) => one.id === shownId) ?? newest(rows, workflow.data);
          return (
            <>
              {shown && <VersionGraph version={shown} />}
              <Title order={2} className={classes.section}>
                Versions
              </Title>
              <VersionTable rows={rows} shownId={shown?.id} onShow={setShownId} />
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
      {({ graph }) => <Drawing label={`Graph of version ${version_number}`} graph={graph} />}
    </Await>
  );
}

function Drawing({ label, graph }: { label: string; graph: Graph }) {
  const { nodes, edges } = useMemo(() => graphParts(graph), [graph]);
  return <GraphView label={label} nodes={nodes} edges={edges} />;
}

const stateLabels = { draft: 'Draft', published: 'Published', archived: 'Archived' };

type TableProps = {
  rows: readonly Version[];
  shownId: number | undefined;
  onShow: (id: number) => void;
};

function VersionTable({ rows, shownId, onShow }: TableProps) {
  const client = useQueryClient();
  const publish = useMutation({
    mutationFn: (version_id: number) => api.publishWorkflowVersion({ path: { version_id } }),
    onSuccess: () =>
      Promise.all(
        ['versions', 'workflow', 'workflows'].map((key) =>
          client.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
  return (
    <>
      {publish.error && (
        <Problem error={publish.error} title="This version could not be published" />
      )}
      <table className={table.table}>
        <thead>
          <tr>
            <th>Version</th>
            <th>State</th>
            <th className={table.wide}>Nodes</th>
            <th className={table.wide}>Created</th>
            <th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .toSorted((a, b) => b.version_number - a.version_number)
            .map((version) => (
              <tr key={version.id} aria-selected={version.id === shownId}>
                <td>
                  <Anchor component="button" fw={520} fz="sm" onClick={() => onShow(version.id)}>
                    Version {version.version_number}
                  </Anchor>
                </td>
                <td>
                  <Tag tone={version.state === 'published' ? 'accent' : 'idle'}>
                    {stateLabels[version.state]}
                  </Tag>
                </td>
                <td className={`${table.quiet} ${table.wide}`}>
                  {plural(version.node_count, 'node')}
                </td>
                <td className={`${table.quiet} ${table.wide}`}>
                  <When at={version.created_at} />
                </td>
                <td>
                  <Group gap="xs" justify="flex-end" wrap="nowrap">
                    {version.state === 'draft' && (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        loading={publish.isPending && publish.variables === version.id}
                        onClick={() => publish.mutate(version.id)}
                      >
                        Publish
                      </Button>
                    )}
                    {version.state !== 'archived' && (
                      <ButtonLink
                        to="/runs/new"
                        search={{ workflow: version.workflow_id, version: version.id }}
                        size="compact-sm"
                        variant="default"
                      >
                        Run…
                      </ButtonLink>
                    )}
                  </Group>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </>
  );
}
