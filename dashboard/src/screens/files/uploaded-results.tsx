/** After files were dropped on an empty home: what could be made of them. */
import { plural, t } from '@lingui/core/macro';
import { ActionIcon, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import { filesInWords, type GivenFile } from '../../starting/fitting.ts';
import classes from '../../starting/starting.module.css';
import { Suggestions } from '../../starting/suggestions.tsx';
import { isActive } from './upload-queue.ts';
import { useUploads } from './uploads.ts';

export function UploadedResults({ onClose }: { onClose: () => void }) {
  const { queue } = useUploads();
  // They stay when the list of uploads is cleared.
  const files = useRef(new Map<number, GivenFile>());
  for (const { cog } of queue) if (cog) files.current.set(cog.id, cog);
  const stored = [...files.current.values()];
  const waiting = queue.filter(isActive).length;
  return (
    <section className={classes.steps} aria-labelledby="uploaded-results">
      <div className={classes.head}>
        <Title order={2} id="uploaded-results">
          {waiting > 0
            ? plural(waiting, { one: '# file is on the way …', other: '# files are on the way …' })
            : filesInWords(stored)}
        </Title>
        <ActionIcon aria-label={t`Close the suggestions`} onClick={onClose}>
          <IconX size={18} />
        </ActionIcon>
      </div>
      <Suggestions files={stored} isWaiting={waiting > 0} />
    </section>
  );
}
