/** Beside the canvas, which stays: all that the last test showed of one step. */
import type { NodeRun, NodeRunOutput } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, Text, Title } from '@mantine/core';
import { IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { CogPreview } from '../../../preview/cog-preview.tsx';
import { Await, LoadingRows } from '../../../ui/await.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { formatSize } from '../../../ui/format.ts';
import { LongName } from '../../../ui/long-name.tsx';
import { Status } from '../../../ui/status.tsx';
import { titleOf } from '../canvas/commands.ts';
import { useEditorState } from '../editor.ts';
import classes from './test.module.css';
import { type Shown, useOutcome, useTested, useTester, useTestState } from './testing.ts';
import { useStartTest } from './use-start-test.ts';

export function ResultPanel() {
  const shown = useTestState((state) => state.shown);
  const isThere = useEditorState(({ graph }) => graph.nodes.some(({ key }) => key === shown));
  const tested = useTested(shown ?? '');
  if (shown === undefined || !tested || !isThere) return null;
  return <Results key={shown} nodeKey={shown} shown={tested} />;
}

/** A mapped step of a large sample has many. */
const mostRuns = 20;

function Results({ nodeKey, shown }: { nodeKey: string; shown: Shown }) {
  const tester = useTester();
  const title = useEditorState(({ graph }) => titleOf(graph, nodeKey));
  const { start } = useStartTest();
  const { status, words, isStale, areGone } = useOutcome(shown);
  if (!tester) return null;
  const { tested } = shown;
  return (
    <section className={classes.results} aria-label={t`Results of ${title}`}>
      <Group justify="space-between" wrap="nowrap" align="start">
        <div>
          <Title order={2} fz="sm">
            {title}
          </Title>
          <Group gap={6} mt={4}>
            <Status status={status} />
            <Text size="xs" c="var(--faint)">
              {words}
            </Text>
          </Group>
        </div>
        <ActionIcon aria-label={t`Close`} onClick={() => tester.store.set({ shown: undefined })}>
          <IconX size={17} />
        </ActionIcon>
      </Group>
      {areGone && (
        <Text size="sm" mt="sm">
          <Trans>Files of a test stay for a day. These were removed.</Trans>
        </Text>
      )}
      {(isStale || areGone) && (
        <Button
          size="compact-sm"
          variant="light"
          mt="sm"
          leftSection={<IconPlayerPlay size={15} aria-hidden />}
          onClick={() => start(nodeKey)}
        >
          <Trans>Test again</Trans>
        </Button>
      )}
      {tested.runs.slice(0, mostRuns).map((run) => (
        <OneRun key={run.id} runId={tested.runId} run={run} areGone={areGone} />
      ))}
      {tested.runs.length > mostRuns && (
        <Text size="sm" c="var(--faint)" mt="sm">
          <Trans>The others are on the page of the run.</Trans>
        </Text>
      )}
    </section>
  );
}

type OneRunProps = { runId: number; run: NodeRun; areGone: boolean };

function OneRun({ runId, run, areGone }: OneRunProps) {
  const [isLogOpen, setLogOpen] = useState(run.status === 'failure');
  return (
    <div className={classes.run}>
      {run.error_message && (
        <Text size="sm" c="var(--mantine-color-error)" className={classes.error}>
          {run.error_message}
        </Text>
      )}
      {run.outputs.map((output) => (
        <Output key={`${output.port} ${output.name}`} output={output} isGone={areGone} />
      ))}
      {run.status === 'success' && run.outputs.length === 0 && (
        <Text size="sm" c="var(--faint)">
          <Trans>It made no files.</Trans>
        </Text>
      )}
      <Button
        size="compact-xs"
        variant="subtle"
        aria-expanded={isLogOpen}
        onClick={() => setLogOpen(!isLogOpen)}
      >
        {isLogOpen ? t`Hide the log` : t`Show the log`}
      </Button>
      {isLogOpen && <Log runId={runId} run={run} />}
    </div>
  );
}

function Output({ output, isGone }: { output: NodeRunOutput; isGone: boolean }) {
  const file = useTestState(({ files }) => files.get(output.checksum_sha256));
  return (
    <figure className={classes.output}>
      <figcaption className={classes.outputName}>
        <FileIcon isFolder={false} mime_type={output.media_type} size={18} />
        <LongName name={output.name} />
        <Text size="xs" c="var(--faint)" className="figures" component="span">
          {formatSize(output.size_bytes)}
        </Text>
      </figcaption>
      {!isGone && file && (
        <div className={classes.picture}>
          <CogPreview id={file.cog_id} />
        </div>
      )}
      {!isGone && !file && (
        <Text size="xs" c="var(--faint)">
          <Trans>Test up to this step to see the file.</Trans>
        </Text>
      )}
    </figure>
  );
}

const lastLines = 200;
const lastBytes = 64 * 1024;

function Log({ runId, run }: { runId: number; run: NodeRun }) {
  const log = useQuery({
    queryKey: ['log', run.id, run.attempt, run.status],
    queryFn: () => endOfLog({ run_id: runId, node_run_id: run.id }),
  });
  return (
    <Await query={log} loading={<LoadingRows rows={2} />}>
      {(text) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long log is scrolled by keyboard
        <pre className={classes.log} tabIndex={0}>
          {text === '' ? t`It wrote nothing.` : text.split('\n').slice(-lastLines).join('\n')}
        </pre>
      )}
    </Await>
  );
}

/** Of a long log only the end is loaded, without the line that begins before it. */
async function endOfLog(path: { run_id: number; node_run_id: number }): Promise<string> {
  try {
    const headers = { range: `bytes=-${lastBytes}` };
    const answer = await api.getNodeRunLog({ path, headers });
    const text = await answer.text();
    const range = answer.headers.get('content-range');
    const isWhole = range === null || /^bytes 0-/.test(range);
    return isWhole ? text : text.slice(text.indexOf('\n') + 1);
  } catch (error) {
    // An empty one has no end.
    if (error instanceof ApiError && error.status === 416) return '';
    throw error;
  }
}
