/** Asks before a version is archived. */
import type { WorkflowVersionSummary as Version } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { notifications } from '@mantine/notifications';
import { api } from '../api.ts';
import { Confirm } from '../ui/confirm.tsx';
import { useVersionChange } from './version-change.ts';

type Props = {
  version: Pick<Version, 'id' | 'version_number' | 'state'>;
  onArchived?: () => void;
  onClose: () => void;
};

export function ArchiveDialog({ version, onArchived, onClose }: Props) {
  const { id, version_number, state } = version;
  const archive = useVersionChange((version_id) =>
    api.archiveWorkflowVersion({ path: { version_id } }),
  );
  return (
    <Confirm
      opened
      title={t`Archive version ${version_number}`}
      verb={t`Archive`}
      isBusy={archive.isPending}
      error={archive.error}
      onConfirm={() =>
        archive.mutate(id, {
          onSuccess: () => {
            notifications.show({ message: t`Version ${version_number} is archived.` });
            onArchived?.();
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      {state === 'published' ? (
        <Trans>
          It starts no more runs; those under way go on. Triggers of the published version then
          start the newest that is still published; without one they are refused. This cannot be
          undone.
        </Trans>
      ) : (
        <Trans>It starts no more runs; those under way go on. This cannot be undone.</Trans>
      )}
    </Confirm>
  );
}
