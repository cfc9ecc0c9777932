/** How a try goes: its state, time, log and results. */
import type { RunFile, WorkflowRun } from '@cogworks/sdk/contract.gen';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { NodeRunLog } from '../../../log/node-run-log.tsx';
import { Preview } from '../../../preview/preview.tsx';
import type { RunNews } from '../../../run-news.ts';
import { Await, LoadingRows } from '../../../ui/await.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { durationOf, formatSize } from '../../../ui/format.ts';
import { LongName } from '../../../ui/long-name.tsx';
import { RunLink } from '../../../ui/run-link.tsx';
import { Status } from '../../../ui/status.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { useTriedRun } from './queries.ts';
import classes from './try.module.css';

export function TryRun({ runId }: { runId: number }) {
  const { moment, isMoving, news } = useTriedRun(runId);
  return (
    <div className={classes.run}>
      <Await query={moment} loading={<LoadingRows rows={2} />}>
        {({ run }) => <Run run={run} isMoving={isMoving} news={news} />}
      </Await>
    </div>
  );
}

type Props = { run: WorkflowRun; isMoving: boolean; news: RunNews };

function Run({ run, isMoving, news }: Props) {
  const [step] = run.node_runs;
  const cancel = useMutation({
    mutationFn: () => api.cancelRun({ path: { run_id: run.id } }),
  });
  const results = run.run_files.filter(({ direction }) => direction === 'output');
  const time = step && durationOf(step, new Date());
  const reason = step?.error_message ?? run.error_message ?? step?.queue_reason;
  return (
    <>
      <Group gap="sm" role="status">
        <Status status={step?.status ?? run.status} />
        {time !== undefined && !isMoving && (
          <Text size="sm" c="var(--faint)">
            <Trans>took {time}</Trans>
          </Text>
        )}
        <Text size="sm" component="div">
          <RunLink id={run.id} />
        </Text>
        {isMoving && (
          <Button
            variant="subtle"
            size="compact-sm"
            loading={cancel.isPending || run.cancel_requested_at !== undefined}
            onClick={() => cancel.mutate()}
          >
            <Trans>Cancel</Trans>
          </Button>
        )}
      </Group>
      {reason && <p className={classes.reason}>{reason}</p>}
      {step && step.attempt > 0 && (
        <>
          <h3 className={classes.part}>
            <Trans>Log</Trans>
          </h3>
          <NodeRunLog runId={run.id} step={step} news={news} />
        </>
      )}
      {results.length > 0 && <Results files={results} />}
      {!isMoving && results.length === 0 && run.status === 'success' && (
        <Text size="sm" c="var(--faint)">
          <Trans>It made no files.</Trans>
        </Text>
      )}
    </>
  );
}

const mostShown = 20;

function Results({ files }: { files: readonly RunFile[] }) {
  const [shownId, setShownId] = useState(files[0]?.cog_id);
  return (
    <>
      <h3 className={classes.part}>
        <Trans>Made</Trans>
      </h3>
      <ul className={classes.files}>
        {files.slice(0, mostShown).map((file) => (
          <li key={file.id}>
            <button
              type="button"
              className={classes.file}
              aria-expanded={file.cog_id === shownId}
              onClick={() => setShownId(file.cog_id === shownId ? undefined : file.cog_id)}
            >
              <FileIcon isFolder={false} size={17} />
              <LongName name={visibleText(file.name)} />
              <span className={classes.size}>{formatSize(file.size_bytes)}</span>
            </button>
            {file.cog_id === shownId && <Result id={file.cog_id} />}
          </li>
        ))}
      </ul>
      {files.length > mostShown && (
        <Text size="sm" c="var(--faint)">
          <Trans>The others are in the run.</Trans>
        </Text>
      )}
    </>
  );
}

function Result({ id }: { id: number }) {
  const cog = useQuery({ queryKey: ['cog', id], queryFn: () => api.getCog({ path: { id } }) });
  return (
    <div className={classes.preview}>
      <Await query={cog} loading={<LoadingRows rows={1} />}>
        {(file) => <Preview key={file.version} cog={file} size="panel" />}
      </Await>
    </div>
  );
}
