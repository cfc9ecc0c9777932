/** The versions of a workflow, and what can be done with each. */
import type { WorkflowVersionSummary as Version, Workflow } from '@cogworks/sdk/contract.gen';
import { ActionIcon, Anchor, Button, Group, Menu, VisuallyHidden } from '@mantine/core';
import {
  IconArchive,
  IconDots,
  IconPencil,
  IconPlayerPlay,
  IconTemplate,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api.ts';
import { useMe } from '../../people.ts';
import { Problem } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { plural } from '../../ui/format.ts';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import { ArchiveDialog } from '../../versions/archive-dialog.tsx';
import { useVersionChange } from '../../versions/version-change.ts';
import { useOpenBuilder } from '../../workflows.ts';

const KeepAsTemplateDialog = lazy(async () => ({
  default: (await import('./keep-as-template-dialog.tsx')).KeepAsTemplateDialog,
}));

const stateLabels = { draft: 'Draft', published: 'Published', archived: 'Archived' };

type Props = {
  /** Undefined while it is loaded. */
  workflow: Workflow | undefined;
  rows: readonly Version[];
  shownId: number | undefined;
  onShow: (id: number) => void;
};

export function VersionTable({ workflow, rows, shownId, onShow }: Props) {
  const publish = useVersionChange((version_id) =>
    api.publishWorkflowVersion({ path: { version_id } }),
  );
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
                  <Anchor
                    component="button"
                    fw={520}
                    fz="sm"
                    style={{ whiteSpace: 'nowrap' }}
                    onClick={() => onShow(version.id)}
                  >
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
                  <Group gap={4} justify="flex-end" wrap="nowrap">
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
                        visibleFrom="xs"
                      >
                        Run…
                      </ButtonLink>
                    )}
                    {workflow && <VersionMenu workflow={workflow} version={version} />}
                  </Group>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </>
  );
}

type MenuProps = { workflow: Workflow; version: Version };

function VersionMenu({ workflow, version }: MenuProps) {
  const { data: me } = useMe();
  const navigate = useNavigate();
  const openBuilder = useOpenBuilder();
  const [action, setAction] = useState<'keep' | 'archive'>();
  const close = () => setAction(undefined);
  const mayArchive = me?.role === 'admin' || workflow.created_by === me?.id;
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for version ${version.version_number}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {version.state !== 'archived' && (
            // Where there is no room for its button.
            <Menu.Item
              hiddenFrom="xs"
              leftSection={<IconPlayerPlay size={16} />}
              onClick={() =>
                navigate({
                  to: '/runs/new',
                  search: { workflow: workflow.id, version: version.id },
                })
              }
            >
              Run…
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconPencil size={16} />}
            onClick={() => openBuilder(workflow.id, version.id)}
          >
            Open in the builder
          </Menu.Item>
          <Menu.Item leftSection={<IconTemplate size={16} />} onClick={() => setAction('keep')}>
            Keep as a template…
          </Menu.Item>
          {version.state !== 'archived' && mayArchive && (
            <Menu.Item leftSection={<IconArchive size={16} />} onClick={() => setAction('archive')}>
              Archive…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {action === 'keep' && (
        <Suspense>
          <KeepAsTemplateDialog workflow={workflow} version={version} onClose={close} />
        </Suspense>
      )}
      {action === 'archive' && <ArchiveDialog version={version} onClose={close} />}
    </>
  );
}
