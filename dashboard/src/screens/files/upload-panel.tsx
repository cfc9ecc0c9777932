/** Uploads and their outcomes, in the corner of every screen. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Collapse, Progress, Text } from '@mantine/core';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { formatCount, formatSize } from '../../ui/format.ts';
import { TakenDialog } from './taken-dialog.tsx';
import { type Pace, timeLeft } from './upload-pace.ts';
import classes from './upload-panel.module.css';
import { byUrgency, type Summary, summarise } from './upload-queue.ts';
import { UploadRow } from './upload-row.tsx';
import { useUploadedFiles } from './uploaded-files.ts';
import { uploads, useUploads } from './uploads.ts';

/** Thousands of rows would make each progress event slow; failed and active ones come first. */
const shown = 100;

export function UploadPanel() {
  const { queue, pace, question } = useUploads();
  const [chosen, setOpen] = useState<boolean>();
  useEffect(() => void uploads.restore(), []);
  useUploadedFiles();
  if (queue.length === 0) return null;

  const summary = summarise(queue);
  const { active, paused, failed, share } = summary;
  // On a phone the list would cover what one does next.
  const isOpen = chosen ?? (failed + paused > 0 || matchMedia('(min-width: 48em)').matches);
  const title = titleOf(summary);
  return (
    <>
      <section className={classes.panel} aria-label={t`Uploads`}>
        <header className={classes.header}>
          <Text size="sm" fw={580} aria-live="polite" className="figures">
            {title}
          </Text>
          <ActionIcon
            aria-label={isOpen ? t`Hide the list` : t`Show the list`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronDown size={18} className={isOpen ? '' : classes.up} />
          </ActionIcon>
          {active === 0 && paused === 0 && (
            <ActionIcon aria-label={t`Close`} onClick={uploads.forgetEnded}>
              <IconX size={18} />
            </ActionIcon>
          )}
        </header>
        <Overall summary={summary} pace={pace} />
        {active > 0 && <Progress value={share * 100} size={3} radius={0} aria-label={title} />}
        <Collapse expanded={isOpen}>
          <ul className={classes.list}>
            {byUrgency(queue)
              .slice(0, shown)
              .map((item) => (
                <UploadRow key={item.id} item={item} />
              ))}
            {queue.length > shown && (
              <li className={classes.more}>
                <Trans>and {formatCount(queue.length - shown)} more</Trans>
              </li>
            )}
          </ul>
        </Collapse>
      </section>
      <TakenDialog question={question} />
    </>
  );
}

function titleOf({ total, done, failed, paused, active, share }: Summary): string {
  if (active > 0) {
    const percent = Math.floor(share * 100);
    return plural(total, {
      one: `Uploading # file · ${percent} %`,
      other: `Uploading # files · ${percent} %`,
    });
  }
  if (failed > 0) {
    const [uploaded, notUploaded] = [formatCount(done), formatCount(failed)];
    return plural(total, {
      one: `${uploaded} of # file uploaded, ${notUploaded} failed`,
      other: `${uploaded} of # files uploaded, ${notUploaded} failed`,
    });
  }
  if (paused > 0) return plural(paused, { one: '# upload paused', other: '# uploads paused' });
  return plural(done, { one: '# file uploaded', other: '# files uploaded' });
}

/** Speed and remaining time, and what can be done with all at once. */
function Overall({ summary, pace }: { summary: Summary; pace: Pace | undefined }) {
  const { active, paused, failed, done, total } = summary;
  if (active === 0 && failed < 2) return null;
  const speed = pace && t`${formatSize(pace.bytes_per_second)}/s`;
  const rest = pace && timeLeft(pace.left_seconds);
  const counts = t`${formatCount(done)} of ${formatCount(total)}`;
  return (
    <div className={classes.overall}>
      <Text size="xs" c="var(--faint)" className="figures">
        {active > 0 && [total > 1 && counts, speed, rest].filter(Boolean).join(' · ')}
      </Text>
      {failed > 1 && (
        <Button size="compact-xs" variant="default" onClick={uploads.retryAll}>
          <Trans>Try all again</Trans>
        </Button>
      )}
      {active + paused > 1 && (
        <Button size="compact-xs" variant="default" onClick={uploads.cancelAll}>
          <Trans>Cancel all</Trans>
        </Button>
      )}
    </div>
  );
}
