/** All that the last test showed of one step: what it made, why it failed, and its log. */
import type { NodeRun, NodeRunOutput } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { NodeRunLog } from '../../../log/node-run-log.tsx';
import { CogPreview } from '../../../preview/cog-preview.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { formatSize } from '../../../ui/format.ts';
import { LongName } from '../../../ui/long-name.tsx';
import { Status, statusLabel } from '../../../ui/status.tsx';
import { useEditorState } from '../editor.ts';
import { titleOf } from '../step-words.ts';
import { firstFailure } from './outcome.ts';
import classes from './test.module.css';
import { type Shown, useOutcome, useTested, useTester, useTestState } from './testing.ts';
import { useStartTest } from './use-start-test.ts';

/** The step whose results are open, as long as it is there. */
export function useShownStep() {
  const key = useTestState((state) => state.shown);
  const isThere = useEditorState(({ graph }) => graph.nodes.some((node) => node.key === key));
  const title = useEditorState(({ graph }) => (key === undefined ? '' : titleOf(graph, key)));
  const shown = useTested(key ?? '');
  return key !== undefined && isThere ? { key, title, shown } : undefined;
}

/** A mapped step of a large sample has many. */
const mostRuns = 20;

export function Results({ nodeKey, shown }: { nodeKey: string; shown: Shown }) {
  const start = useStartTest();
  const { status, words, isStale, areGone } = useOutcome(shown);
  const { tested } = shown;
  const runs = tested.runs.slice(0, mostRuns);
  const failed = firstFailure(runs);
  return (
    <>
      <Group gap={6}>
        <Status status={status} />
        {words !== statusLabel(status) && (
          <Text size="xs" c="var(--faint)">
            {words}
          </Text>
        )}
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
      {runs.map((run) => (
        <OneRun
          key={run.id}
          {...{ run, areGone }}
          runId={tested.runId}
          isLogWanted={run === failed}
        />
      ))}
      {tested.runs.length > mostRuns && (
        <Text size="sm" c="var(--faint)" mt="sm">
          <Trans>The others are on the page of the run.</Trans>
        </Text>
      )}
    </>
  );
}

type OneRunProps = {
  runId: number;
  run: NodeRun;
  areGone: boolean;
  /** Of one run at most: each log that is open is read as a whole, in a thread of its own. */
  isLogWanted: boolean;
};

function OneRun({ runId, run, areGone, isLogWanted }: OneRunProps) {
  const tester = useTester();
  const [wish, setWish] = useState<boolean>();
  const isLogOpen = wish ?? isLogWanted;
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
      {tester && run.attempt > 0 && (
        <>
          <Button
            size="compact-xs"
            variant="subtle"
            mb={4}
            aria-expanded={isLogOpen}
            onClick={() => setWish(!isLogOpen)}
          >
            {isLogOpen ? t`Hide the log` : t`Show the log`}
          </Button>
          {isLogOpen && <NodeRunLog runId={runId} step={run} news={tester.news} />}
        </>
      )}
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
