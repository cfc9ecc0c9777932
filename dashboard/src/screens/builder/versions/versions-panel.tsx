/** The versions of this workflow: which to open, to compare with, or to archive. */
import type { Workflow, WorkflowVersion, WorkflowVersionSummary } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Group, Menu, Text, Title } from '@mantine/core';
import { IconArchive, IconDots, IconGitCompare, IconPencil } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNames } from '../../../people.ts';
import { Await } from '../../../ui/await.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { When } from '../../../ui/when.tsx';
import { ArchiveDialog } from '../../../versions/archive-dialog.tsx';
import { stateLabels } from '../../../versions/labels.ts';
import { useOpenBuilder, useVersions } from '../../../workflows.ts';
import { useSetAddress } from '../address.ts';
import classes from './versions.module.css';

type Props = { workflow: Workflow; version: WorkflowVersion; mayChange: boolean };

export function VersionsPanel({ workflow, version, mayChange }: Props) {
  const versions = useVersions(workflow.id);
  return (
    <div className={classes.panel}>
      <Title order={2} size="sm" mb="xs" className={classes.heading}>
        <Trans>Versions</Trans>
      </Title>
      <Await query={versions}>
        {(rows) => (
          <ul className={classes.versions}>
            {rows
              .toSorted((a, b) => b.version_number - a.version_number)
              .map((row) => (
                <VersionRow key={row.id} row={row} shown={version} mayChange={mayChange} />
              ))}
          </ul>
        )}
      </Await>
    </div>
  );
}

type RowProps = { row: WorkflowVersionSummary; shown: WorkflowVersion; mayChange: boolean };

function VersionRow({ row, shown, mayChange }: RowProps) {
  const nameOf = useNames();
  const isShown = row.id === shown.id;
  // Of the draft that is edited the hash is that of when it was opened.
  const isSame = !isShown && shown.state !== 'draft' && row.logic_hash === shown.logic_hash;
  return (
    <li className={classes.version} aria-current={isShown}>
      <div className={classes.about}>
        <Group gap={8} wrap="nowrap">
          <Text size="sm" fw={560}>
            <Trans>Version {row.version_number}</Trans>
          </Text>
          <Tag tone={row.state === 'published' ? 'accent' : 'idle'}>{stateLabels[row.state]}</Tag>
        </Group>
        <Text size="xs" c="var(--faint)">
          {isShown ? t`Shown here` : nameOf(row.created_by)} ·{' '}
          <When at={row.published_at ?? row.created_at} />
          {isSame && (
            <>
              {' · '}
              <Trans>does the same</Trans>
            </>
          )}
        </Text>
      </div>
      <RowMenu row={row} isShown={isShown} mayChange={mayChange} />
    </li>
  );
}

function RowMenu({
  row,
  isShown,
  mayChange,
}: Pick<RowProps, 'row' | 'mayChange'> & { isShown: boolean }) {
  const openBuilder = useOpenBuilder();
  const client = useQueryClient();
  const setAddress = useSetAddress();
  const [isArchiving, setArchiving] = useState(false);
  const mayArchive = mayChange && row.state !== 'archived';
  if (isShown && !mayArchive) return null;
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={t`Actions for version ${row.version_number}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isShown && (
            <>
              <Menu.Item
                leftSection={<IconGitCompare size={16} />}
                onClick={() => setAddress({ from: String(row.id), panel: undefined })}
              >
                <Trans>Show changes since</Trans>
              </Menu.Item>
              <Menu.Item
                leftSection={<IconPencil size={16} />}
                onClick={() => openBuilder(row.workflow_id, row.id)}
              >
                <Trans>Open</Trans>
              </Menu.Item>
            </>
          )}
          {mayArchive && (
            <Menu.Item leftSection={<IconArchive size={16} />} onClick={() => setArchiving(true)}>
              <Trans>Archive…</Trans>
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isArchiving && (
        <ArchiveDialog
          version={row}
          onArchived={() => void client.invalidateQueries({ queryKey: ['opened-version', row.id] })}
          onClose={() => setArchiving(false)}
        />
      )}
    </>
  );
}
