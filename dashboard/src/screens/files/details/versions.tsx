/** The contents that a file has had: download, restore or delete them, or upload a new one. */

import type { Cog, FileVersion } from '@cogworks/sdk/contract.gen';
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
      title="Versions"
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
                Upload a new one
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
          Show more
        </Button>
      )}
      <Confirm
        opened={deleting !== undefined}
        title="Delete this version"
        verb="Delete for ever"
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => deleting && remove.mutate(deleting.version, { onSuccess: close })}
        onClose={close}
      >
        Version {deleting?.version} of “{cog.name}” is deleted for ever. This cannot be undone.
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

function VersionRow({ cog, version, mayChange, onRestore, onDelete }: RowProps) {
  const nameOf = useNames();
  const download = useDownloadVersion(cog.id);
  const navigate = useNavigate();
  const { is_current, restored_from } = version;
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
          Version {version.version}
          {is_current && ', current'}
          {restored_from !== undefined && `, as version ${restored_from}`}
        </Text>
        <Text size="xs" c="var(--faint)">
          {nameOf(version.created_by)}, <When at={version.created_at} /> ·{' '}
          {formatSize(version.size_bytes)}
        </Text>
      </div>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for version ${version.version}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconDownload size={16} />}
            onClick={() => download.mutate(version.version)}
          >
            Download
          </Menu.Item>
          <Menu.Item leftSection={<IconRoute size={16} />} onClick={showOrigin}>
            Where it comes from
          </Menu.Item>
          {!is_current && (
            <Menu.Item
              leftSection={<IconHistory size={16} />}
              disabled={!mayChange}
              onClick={onRestore}
            >
              Restore
            </Menu.Item>
          )}
          {!is_current && (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} />}
              disabled={!cog.access.can_delete}
              onClick={onDelete}
            >
              Delete…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}
