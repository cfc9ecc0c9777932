/** The output files of a run. */
import type { WorkflowRun as Run, RunFile } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconDownload, IconFolderOpen } from '@tabler/icons-react';
import { useDownload } from '../../downloads.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { FileIcon } from '../../ui/file-icon.tsx';
import { formatSize } from '../../ui/format.ts';
import table from '../../ui/table.module.css';
import { When } from '../../ui/when.tsx';
import { MoreRows } from './more-rows.tsx';
import type { useFiles } from './queries.ts';
import classes from './runs.module.css';

type Files = ReturnType<typeof useFiles>;

type OutputsProps = {
  outputs: Files;
  run: Pick<Run, 'output_folder_id' | 'keep_results' | 'results_removed_at'>;
  /** Why some results are not in the requested folder. */
  fallback: string | undefined;
  isEnded: boolean;
};

export function RunOutputs({ outputs, run, fallback, isEnded }: OutputsProps) {
  const { rows: files } = outputs;
  const isGone = run.results_removed_at !== undefined;
  const folderId = isGone ? undefined : run.output_folder_id;
  if (files.length === 0) {
    return (
      <Nothing>
        {isEnded ? t`This run made no files.` : t`Results appear here as they are made.`}
      </Nothing>
    );
  }
  return (
    <>
      {fallback && (
        <Text size="sm" c="var(--faint)" mb="md">
          {fallback}
        </Text>
      )}
      <OfTest run={run} />
      {folderId !== undefined && (
        <ButtonLink
          to="/files/$folderId"
          params={{ folderId: String(folderId) }}
          variant="default"
          size="xs"
          mb="md"
          leftSection={<IconFolderOpen size={16} />}
        >
          <Trans>Open the folder</Trans>
        </ButtonLink>
      )}
      <table className={table.table}>
        <thead>
          <tr>
            <th>
              <Trans>File</Trans>
            </th>
            <th className={table.wide}>
              <Trans>From</Trans>
            </th>
            <th className={table.right}>
              <Trans>Size</Trans>
            </th>
            <th style={{ width: 48 }}>
              <VisuallyHidden>
                <Trans>Download</Trans>
              </VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr key={file.id}>
              <td style={{ width: '60%' }}>
                <FileName file={file} />
              </td>
              <td className={`${table.quiet} ${table.wide}`}>{file.node_key}</td>
              <td className={`${table.quiet} ${table.right}`}>{sizeOf(file)}</td>
              <td className={table.right}>
                {!isGone && <Download id={file.cog_id} name={file.name} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <MoreFiles of={outputs} />
    </>
  );
}

/** What becomes of the files of a test. */
function OfTest({ run: { keep_results, results_removed_at } }: Pick<OutputsProps, 'run'>) {
  if (keep_results) return null;
  return (
    <Text size="sm" c="var(--faint)" mb="md">
      {results_removed_at === undefined ? (
        t`These files are of a test: they are removed a day after it ended. Copy what you want to keep.`
      ) : (
        <>
          <Trans>
            These files were of a test and were removed <When at={results_removed_at} />. Test again
            to make them anew.
          </Trans>
        </>
      )}
    </Text>
  );
}

/** Of very many files only the first are loaded. */
function MoreFiles({ of: { rows, total, hasMore, isFetching, error, showMore } }: { of: Files }) {
  if (!hasMore) return null;
  const more = { shown: rows.length, total, isFetching, error, onMore: showMore };
  return <MoreRows {...more} />;
}

function FileName({ file }: { file: RunFile }) {
  return (
    <div className={classes.file}>
      <FileIcon isFolder={false} />
      <span>{file.name}</span>
    </div>
  );
}

const sizeOf = ({ size_bytes }: RunFile) =>
  size_bytes === undefined ? '' : formatSize(size_bytes);

const Nothing = ({ children }: { children: string }) => (
  <Text size="sm" c="var(--faint)" py="lg">
    {children}
  </Text>
);

function Download({ id, name }: { id: number; name: string }) {
  const download = useDownload();
  return (
    <Tooltip label={t`Download`}>
      <ActionIcon
        aria-label={t`Download ${name}`}
        loading={download.isPending}
        onClick={() => download.mutate([{ id }])}
      >
        <IconDownload size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
