/** The contents that a file has had: download, restore or delete them, or upload a new one. */

import type { Cog, FileVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, FileButton, Menu, Text } from '@mantine/core';
import {
  IconDots,
  IconDownload,
  IconHistory,
  IconRoute,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useNames } from '../../../people.ts';
import { Await, LoadingRows, Problem } from '../../../ui/await.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { formatSize } from '../../../ui/format.ts';
import { When } from '../../../ui/when.tsx';
import { rowsOf } from '../queries.ts';
import classes from './details.module.css';
import { originHash } from './origin-hash.ts';
import { Section } from './section.tsx';
import {
  useDeleteVersion,
  useDownloadVersion,
  useNewVersion,
  useRestoreVersion,
  useVersions,
} from './version-changes.ts';

export function Versions({ cog }: { cog: Cog }) {
  const versions = useVersions(cog.id);
  const [deleting, setDeleting] = useState<FileVersion>();
  const [upload, restore, remove] = [
    useNewVersion(cog),
    useRestoreVersion(cog),
    useDeleteVersion(cog),
  ];
  const mayChange = cog.access.level !== 'viewer' && cog.access.can_upload;
  const close = () => {
    setDeleting(undefined);
    remove.reset();
  };
  return (
    <Section
      title={t`Versions`}
      aside={
        mayChange && (
          <FileButton onChange={(file) => file && upload.mutate(file)}>
            {(props) => (
              <Button
                {...props}
                size="compact-sm"
                variant="subtle"
                leftSection={<IconUpload size={15} />}
                loading={upload.isPending}
              >
                <Trans>Upload a new one</Trans>
              </Button>
            )}
          </FileButton>
        )
      }
    >
      {(upload.error ?? restore.error) && <Problem error={upload.error ?? restore.error} />}
      <Await query={versions} loading={<LoadingRows rows={2} />}>
        {(data) => (
          <ul className={classes.versions}>
            {rowsOf(data).map((version) => (
              <VersionRow
                key={version.version}
                cog={cog}
                version={version}
                mayChange={mayChange}
                onRestore={() => restore.mutate(version.version)}
                onDelete={() => setDeleting(version)}
              />
            ))}
          </ul>
        )}
      </Await>
      {versions.hasNextPage && (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={versions.isFetchingNextPage}
          onClick={() => void versions.fetchNextPage()}
        >
          <Trans>Show more</Trans>
        </Button>
      )}
      <Confirm
        opened={deleting !== undefined}
        title={t`Delete this version`}
        verb={t`Delete for ever`}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => deleting && remove.mutate(deleting.version, { onSuccess: close })}
        onClose={close}
      >
        <Trans>
          Version {deleting?.version} of “{cog.name}” is deleted for ever. This cannot be undone.
        </Trans>
      </Confirm>
    </Section>
  );
}

type RowProps = {
  cog: Cog;
  version: FileVersion;
  mayChange: boolean;
  onRestore: () => void;
  onDelete: () => void;
};

function titleOf({ version, is_current, restored_from: from }: FileVersion): string {
  if (from === undefined)
    return is_current ? t`Version ${version}, current` : t`Version ${version}`;
  return is_current
    ? t`Version ${version}, current, as version ${from}`
    : t`Version ${version}, as version ${from}`;
}

function VersionRow({ cog, version, mayChange, onRestore, onDelete }: RowProps) {
  const nameOf = useNames();
  const download = useDownloadVersion(cog.id);
  const navigate = useNavigate();
  const { is_current } = version;
  const showOrigin = () =>
    void navigate({
      to: '.',
      search: (old) => ({ ...old, origin: is_current ? undefined : version.version }),
      hash: originHash,
      replace: true,
      resetScroll: false,
    });
  return (
    <li className={classes.version}>
      <div>
        <Text size="sm" fw={is_current ? 560 : 400}>
          {titleOf(version)}
        </Text>
        <Text size="xs" c="var(--faint)">
          {nameOf(version.created_by)}, <When at={version.created_at} /> ·{' '}
          {formatSize(version.size_bytes)}
        </Text>
      </div>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={t`Actions for version ${version.version}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconDownload size={16} />}
            onClick={() => download.mutate(version.version)}
          >
            <Trans>Download</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconRoute size={16} />} onClick={showOrigin}>
            <Trans>Where it comes from</Trans>
          </Menu.Item>
          {!is_current && (
            <Menu.Item
              leftSection={<IconHistory size={16} />}
              disabled={!mayChange}
              onClick={onRestore}
            >
              <Trans>Restore</Trans>
            </Menu.Item>
          )}
          {!is_current && (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} />}
              disabled={!cog.access.can_delete}
              onClick={onDelete}
            >
              <Trans>Delete…</Trans>
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}
