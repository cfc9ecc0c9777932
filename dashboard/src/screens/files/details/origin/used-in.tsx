/** The runs that a file went into, each with what was made from it there. */
import type { MadeFile, Provenance, ProvenanceRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { FileIcon } from '../../../../ui/file-icon.tsx';
import { LongName } from '../../../../ui/long-name.tsx';
import { Status } from '../../../../ui/status.tsx';
import { visibleText } from '../../../../ui/visible-text.ts';
import { When } from '../../../../ui/when.tsx';
import classes from './origin.module.css';
import { hiddenWords, runSentence } from './origin-words.ts';
import { PagedRows } from './paged-rows.tsx';
import { FileLink, Sentence } from './sentence.tsx';

const few = 3;

export function UsedIn({ told: { cog_id, used_in, more_used_in } }: { told: Provenance }) {
  return (
    <PagedRows
      queryKey={['provenance', cog_id, 'runs']}
      id="listProvenanceRuns"
      args={{ path: { id: cog_id }, query: { limit: 20 } }}
      first={used_in.slice(0, few)}
      hasMore={more_used_in || used_in.length > few}
      more={t`Show earlier runs`}
    >
      {(runs) => (
        <ul className={classes.runs}>
          {runs.map((run) => (
            <li key={`${run.workflow_run_id} ${run.input_name} ${run.position}`}>
              <RunOfFile cogId={cog_id} run={run} />
            </li>
          ))}
        </ul>
      )}
    </PagedRows>
  );
}

function RunOfFile({ cogId, run }: { cogId: number; run: ProvenanceRun }) {
  const { workflow_run_id, status, created_at } = run;
  return (
    <>
      <Sentence parts={runSentence(run)} />
      <div className={classes.runState}>
        <Status status={status} />
        <Text size="xs" c="var(--faint)">
          <When at={created_at} />
        </Text>
      </div>
      <PagedRows
        queryKey={['provenance', cogId, 'run', workflow_run_id]}
        id="listProvenanceFiles"
        args={{ path: { id: cogId, run_id: workflow_run_id } }}
        first={run.files}
        hasMore={run.more_files}
        more={t`Show all files`}
      >
        {(files) => <MadeFiles files={files} />}
      </PagedRows>
    </>
  );
}

function MadeFiles({ files }: { files: readonly MadeFile[] }) {
  const seen = files.filter(({ state }) => state !== 'hidden');
  const hidden = files.length - seen.length;
  if (files.length === 0) return null;
  return (
    <ul className={classes.files}>
      {seen.map((file, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: several may have the same name, and none moves
          key={index}
          className={classes.file}
        >
          <FileIcon isFolder={false} mime_type={file.media_type} size={17} />
          <div className={classes.fileWords}>
            <MadeName file={file} />
          </div>
        </li>
      ))}
      {hidden > 0 && <li className={classes.hidden}>{hiddenWords(hidden, seen.length === 0)}</li>}
    </ul>
  );
}

function MadeName({
  file: { cog_id, state, name = t`A file`, current_name = name },
}: {
  file: MadeFile;
}) {
  if (state === 'available' && cog_id !== undefined) {
    return (
      <FileLink id={cog_id}>
        <LongName name={visibleText(current_name)} />
      </FileLink>
    );
  }
  return (
    <>
      <LongName name={visibleText(name)} />
      <Text size="xs" c="var(--faint)">
        {state === 'in_trash' ? t`in the trash` : t`deleted for ever`}
      </Text>
    </>
  );
}
