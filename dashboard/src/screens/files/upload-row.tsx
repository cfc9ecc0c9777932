/** One upload in the panel: its progress, why it failed, and what can be done. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, FileButton, Progress, Text, Tooltip } from '@mantine/core';
import {
  IconCircleCheckFilled,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconX,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatSize } from '../../ui/format.ts';
import { LongName } from '../../ui/long-name.tsx';
import { anyFile } from './file-input.ts';
import classes from './upload-panel.module.css';
import { isActive, isEnded, type UploadItem, type UploadStatus } from './upload-queue.ts';
import { nameOf, uploads } from './uploads.ts';

export function UploadRow({ item }: { item: UploadItem }) {
  const { id, path, size_bytes, sent_bytes, status, upload_id } = item;
  const name = nameOf(item);
  const percent = size_bytes === 0 ? 0 : (sent_bytes / size_bytes) * 100;
  return (
    <li className={classes.item} data-status={status}>
      <div className={classes.line}>
        <Text size="sm">
          <LongName name={name} title={path} />
        </Text>
        <span className={classes.state}>{stateOf(item)}</span>
        {isActive(item) && upload_id !== undefined && (
          <IconAction
            tip={t`Pause`}
            label={t`Pause the upload of ${name}`}
            onClick={() => uploads.pause(id)}
          >
            <IconPlayerPauseFilled size={14} />
          </IconAction>
        )}
        {status === 'paused' && !item.isWithoutFile && (
          <IconAction
            tip={t`Resume`}
            label={t`Resume the upload of ${name}`}
            onClick={() => uploads.resume(id)}
          >
            <IconPlayerPlayFilled size={14} />
          </IconAction>
        )}
        {!isEnded(item) && (
          <IconAction
            tip={t`Cancel`}
            label={t`Cancel the upload of ${name}`}
            onClick={() => uploads.cancel(id)}
          >
            <IconX size={15} />
          </IconAction>
        )}
      </div>
      {(status === 'sending' || status === 'paused') && (
        <Progress
          value={percent}
          size={3}
          color={status === 'paused' ? 'gray' : 'petrol'}
          aria-label={t`Upload of ${name}`}
        />
      )}
      <Remedy item={item} />
    </li>
  );
}

const words: Record<UploadStatus, ReactNode> = {
  waiting: t`Waiting`,
  sending: '',
  paused: t`Paused`,
  done: (
    <IconCircleCheckFilled size={17} color="var(--mantine-color-petrol-6)" title={t`Uploaded`} />
  ),
  failed: '',
  skipped: t`Skipped`,
  cancelled: t`Cancelled`,
};

const stateOf = ({ status, sent_bytes, size_bytes }: UploadItem) =>
  status === 'sending' ? t`${formatSize(sent_bytes)} of ${formatSize(size_bytes)}` : words[status];

/** What a user can do about an upload that failed, or whose file must be chosen again. */
function Remedy({ item: { id, path, status, problem, isWithoutFile } }: { item: UploadItem }) {
  if (status === 'failed') {
    return (
      <div className={classes.problem}>
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => uploads.retry(id)}>
          <Trans>Try again</Trans>
        </Button>
      </div>
    );
  }
  if (!isWithoutFile) return null;
  return (
    <div className={classes.problem}>
      <Text size="xs" c={problem ? 'var(--mantine-color-error)' : 'var(--faint)'}>
        {problem ?? t`The page was closed. Choose the file again to send the rest.`}
      </Text>
      <FileButton inputProps={anyFile} onChange={(file) => file && uploads.resumeWith(id, file)}>
        {(props) => (
          <Button
            {...props}
            size="compact-xs"
            variant="default"
            aria-label={t`Choose file ${path}`}
          >
            <Trans>Choose file</Trans>
          </Button>
        )}
      </FileButton>
    </div>
  );
}

type ActionProps = { tip: string; label: string; onClick: () => void; children: ReactNode };

function IconAction({ tip, label, onClick, children }: ActionProps) {
  return (
    <Tooltip label={tip}>
      <ActionIcon size="sm" aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
