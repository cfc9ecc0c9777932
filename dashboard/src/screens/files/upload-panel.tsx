/** Uploads and their outcomes, in the corner of every screen. */
import { ActionIcon, Button, Collapse, Progress, Text, Tooltip } from '@mantine/core';
import { IconChevronDown, IconCircleCheckFilled, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount, formatSize, plural } from '../../ui/format.ts';
import classes from './upload-panel.module.css';
import { isEnded, summarise, type UploadItem } from './upload-queue.ts';
import { uploads, useUploads } from './uploads.ts';

/** Thousands of rows would make each progress event slow; failed and active ones come first. */
const shown = 100;

export function UploadPanel() {
  const queue = useUploads();
  const [isOpen, setOpen] = useState(true);
  if (queue.length === 0) return null;

  const { total, done, failed, active, share } = summarise(queue);
  const title =
    active > 0
      ? `Uploading ${plural(total, 'file')} · ${Math.floor(share * 100)} %`
      : failed > 0
        ? `${formatCount(done)} of ${plural(total, 'file')} uploaded, ${formatCount(failed)} failed`
        : `${plural(done, 'file')} uploaded`;
  return (
    <section className={classes.panel} aria-label="Uploads">
      <header className={classes.header}>
        <Text size="sm" fw={580} aria-live="polite" className="figures">
          {title}
        </Text>
        <ActionIcon
          aria-label={isOpen ? 'Hide the list' : 'Show the list'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <IconChevronDown size={18} className={isOpen ? '' : classes.up} />
        </ActionIcon>
        {active === 0 && (
          <ActionIcon aria-label="Close" onClick={uploads.forgetEnded}>
            <IconX size={18} />
          </ActionIcon>
        )}
      </header>
      {active > 0 && <Progress value={share * 100} size={3} radius={0} aria-label={title} />}
      <Collapse expanded={isOpen}>
        <ul className={classes.list}>
          {byUrgency(queue)
            .slice(0, shown)
            .map((item) => (
              <UploadRow key={item.id} item={item} />
            ))}
        </ul>
      </Collapse>
    </section>
  );
}

const byUrgency = (queue: readonly UploadItem[]) => {
  const order = { failed: 0, sending: 1, waiting: 2, done: 3, cancelled: 4 };
  return [...queue].sort((a, b) => order[a.status] - order[b.status] || a.id - b.id);
};

function UploadRow({ item }: { item: UploadItem }) {
  const { id, name, size_bytes, sent_bytes, status } = item;
  const percent = size_bytes === 0 ? 0 : (sent_bytes / size_bytes) * 100;
  return (
    <li className={classes.item} data-status={status}>
      <div className={classes.line}>
        <Text size="sm" truncate title={name}>
          {name}
        </Text>
        <span className={classes.state}>
          {status === 'sending' && `${formatSize(sent_bytes)} of ${formatSize(size_bytes)}`}
          {status === 'waiting' && 'Waiting'}
          {status === 'cancelled' && 'Cancelled'}
          {status === 'done' && (
            <IconCircleCheckFilled
              size={17}
              color="var(--mantine-color-petrol-6)"
              title="Uploaded"
            />
          )}
        </span>
        {!isEnded(item) && (
          <Tooltip label="Cancel">
            <ActionIcon
              size="sm"
              aria-label={`Cancel the upload of ${name}`}
              onClick={() => uploads.cancel(id)}
            >
              <IconX size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {status === 'sending' && (
        <Progress value={percent} size={3} aria-label={`Upload of ${name}`} />
      )}
      {status === 'failed' && (
        <div className={classes.problem}>
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {item.problem}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => uploads.retry(id)}>
            {item.isNameTaken ? 'Keep both' : 'Try again'}
          </Button>
        </div>
      )}
    </li>
  );
}
