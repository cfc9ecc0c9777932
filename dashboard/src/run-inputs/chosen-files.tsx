/** The files selected for a run, and a way to select more. */
import { t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { ActionIcon, Button, Text } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api.ts';
import { FileIcon } from '../ui/file-icon.tsx';
import { formatSize } from '../ui/format.ts';
import { FilePicker } from './file-picker.tsx';
import classes from './run-inputs.module.css';
import { isGone } from './sample.ts';

/** Names are fetched one by one, so a large selection shows only the first. */
const named = 20;

type Props = { ids: readonly number[]; onChange: (ids: number[]) => void };

/** Chosen files and folders, as far as they are shown. */
export const useChosenCogs = (ids: readonly number[]) =>
  useQueries({
    queries: ids
      .slice(0, named)
      .map((id) => ({ queryKey: ['cog', id], queryFn: () => api.getCog({ path: { id } }) })),
  });

export function ChosenFiles({ ids, onChange }: Props) {
  const [isPicking, setPicking] = useState(false);
  const cogs = useChosenCogs(ids);
  return (
    <>
      {ids.length > 0 && (
        <ul className={classes.files}>
          {cogs.map(({ data: cog, error }, index) => {
            const id = ids[index] ?? 0;
            // What was read before stays known after a refusal.
            const isMissing = isGone(error) || (error !== null && !cog);
            const name = isMissing ? t`Deleted, or not yours to see` : (cog?.name ?? '…');
            return (
              <li key={id} className={classes.file}>
                <FileIcon
                  isFolder={cog !== undefined && cog.cog_type !== 'file'}
                  mime_type={cog?.mime_type}
                />
                <Text
                  size="sm"
                  truncate
                  {...(isMissing ? { c: 'var(--mantine-color-error)' } : {})}
                >
                  {name}
                </Text>
                <Text size="xs" c="var(--faint)" className="figures">
                  {cog?.size_bytes === undefined ? '' : formatSize(cog.size_bytes)}
                </Text>
                <ActionIcon
                  size="sm"
                  aria-label={t`Leave out ${name}`}
                  onClick={() => onChange(ids.filter((one) => one !== id))}
                >
                  <IconX size={15} />
                </ActionIcon>
              </li>
            );
          })}
        </ul>
      )}
      {ids.length > named && (
        <Text size="sm" c="var(--faint)" mb="sm">
          <Plural value={ids.length - named} one="… and # more item" other="… and # more items" />
        </Text>
      )}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        onClick={() => setPicking(true)}
      >
        {ids.length === 0 ? t`Choose files` : t`Choose more`}
      </Button>
      <FilePicker
        opened={isPicking}
        chosen={ids}
        onClose={() => setPicking(false)}
        onChoose={(more) => {
          onChange([...new Set([...ids, ...more])]);
          setPicking(false);
        }}
      />
    </>
  );
}
