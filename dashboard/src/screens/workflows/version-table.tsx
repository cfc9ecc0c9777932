/** The versions of a workflow, and what can be done with each. */
import type { WorkflowVersionSummary as Version, Workflow } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Anchor, Button, Group, Menu, VisuallyHidden } from '@mantine/core';
import {
  IconArchive,
  IconDots,
  IconPencil,
  IconPlayerPlay,
  IconRocket,
  IconTemplate,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { useMe } from '../../people.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { LoadedDialog } from '../../ui/loaded-dialog.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import { ArchiveDialog } from '../../versions/archive-dialog.tsx';
import { stateLabels } from '../../versions/labels.ts';
import { useOpenBuilder } from '../../workflows.ts';

const PublishDialog = lazy(async () => ({
  default: (await import('../../versions/publish-dialog.tsx')).PublishDialog,
}));

const KeepAsTemplateDialog = lazy(async () => ({
  default: (await import('./keep-as-template-dialog.tsx')).KeepAsTemplateDialog,
}));

type Props = {
  /** Undefined while it is loaded. */
  workflow: Workflow | undefined;
  rows: readonly Version[];
  shownId: number | undefined;
  onShow: (id: number) => void;
};

export function VersionTable({ workflow, rows, shownId, onShow }: Props) {
  const navigate = useNavigate();
  const mayChange = useMayChange(workflow);
  const [published, setPublished] = useState<Version>();
  return (
    <>
      <table className={table.table}>
        <thead>
          <tr>
            <th>
              <Trans>Version</Trans>
            </th>
            <th>
              <Trans>State</Trans>
            </th>
            <th className={table.wide}>
              <Trans>Nodes</Trans>
            </th>
            <th className={table.wide}>
              <Trans>Created</Trans>
            </th>
            <th>
              <VisuallyHidden>
                <Trans>Actions</Trans>
              </VisuallyHidden>
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
                    <Trans>Version {version.version_number}</Trans>
                  </Anchor>
                </td>
                <td>
                  <Tag tone={version.state === 'published' ? 'accent' : 'idle'}>
                    {stateLabels[version.state]}
                  </Tag>
                </td>
                <td className={`${table.quiet} ${table.wide}`}>
                  {plural(version.node_count, { one: '# node', other: '# nodes' })}
                </td>
                <td className={`${table.quiet} ${table.wide}`}>
                  <When at={version.created_at} />
                </td>
                <td>
                  <Group gap={4} justify="flex-end" wrap="nowrap">
                    {version.state === 'draft' && mayChange && (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        visibleFrom="xs"
                        onClick={() => setPublished(version)}
                      >
                        <Trans>Publish…</Trans>
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
                        <Trans>Run…</Trans>
                      </ButtonLink>
                    )}
                    {workflow && (
                      <VersionMenu workflow={workflow} version={version} onPublish={setPublished} />
                    )}
                  </Group>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      {workflow && published && (
        <LoadedDialog onClose={() => setPublished(undefined)}>
          <PublishDialog
            workflow={workflow}
            version={published}
            onShowFaults={() =>
              navigate({
                to: '/workflows/$workflowId/versions/$versionId',
                params: { workflowId: String(workflow.id), versionId: String(published.id) },
                search: { panel: 'faults' },
              })
            }
            onClose={() => setPublished(undefined)}
          />
        </LoadedDialog>
      )}
    </>
  );
}

/** Its creator may, and admins. */
function useMayChange(workflow: Workflow | undefined): boolean {
  const { data: me } = useMe();
  return me?.role === 'admin' || (me !== undefined && workflow?.created_by === me.id);
}

type MenuProps = {
  workflow: Workflow;
  version: Version;
  onPublish: (version: Version) => void;
};

function VersionMenu({ workflow, version, onPublish }: MenuProps) {
  const navigate = useNavigate();
  const openBuilder = useOpenBuilder();
  const [action, setAction] = useState<'keep' | 'archive'>();
  const close = () => setAction(undefined);
  const mayChange = useMayChange(workflow);
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={t`Actions for version ${version.version_number}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {version.state !== 'archived' && (
            // As below, where there is no room for its button.
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
              <Trans>Run…</Trans>
            </Menu.Item>
          )}
          {version.state === 'draft' && mayChange && (
            <Menu.Item
              hiddenFrom="xs"
              leftSection={<IconRocket size={16} />}
              onClick={() => onPublish(version)}
            >
              <Trans>Publish…</Trans>
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconPencil size={16} />}
            onClick={() => openBuilder(workflow.id, version.id)}
          >
            <Trans>Open in the builder</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconTemplate size={16} />} onClick={() => setAction('keep')}>
            <Trans>Keep as a template…</Trans>
          </Menu.Item>
          {version.state !== 'archived' && mayChange && (
            <Menu.Item leftSection={<IconArchive size={16} />} onClick={() => setAction('archive')}>
              <Trans>Archive…</Trans>
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {action === 'keep' && (
        <LoadedDialog onClose={close}>
          <KeepAsTemplateDialog workflow={workflow} version={version} onClose={close} />
        </LoadedDialog>
      )}
      {action === 'archive' && <ArchiveDialog version={version} onClose={close} />}
    </>
  );
}
