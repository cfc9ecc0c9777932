/** One run: its progress, its graph, the outcome of each file, and each step. */
import type { WorkflowRun as Run, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { fallbackOf } from '@cogworks/sdk/reasons';
import { isTerminal, type Moment } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Button, Tabs, Text } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { IconAlertTriangle, IconPlayerStop } from '@tabler/icons-react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useCommands } from '../../commands/use-commands.ts';
import type { RunNews } from '../../run-news.ts';
import { Await, LoadingRows } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { formatCount } from '../../ui/format.ts';
import { LoadedDialog } from '../../ui/loaded-dialog.tsx';
import { ProgressLine } from '../../ui/progress-line.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Status } from '../../ui/status.tsx';
import { RunGrid } from './grid/run-grid.tsx';
import { useCancel, useFiles, useRun, useRunWorkflow } from './queries.ts';
import { RestartButtons } from './restart-buttons.tsx';
import { useRunCommands } from './run-commands.ts';
import { OutOfCredits } from './run-credits.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunOutputs } from './run-files.tsx';
import { RunGraph } from './run-graph.tsx';
import { runGraph, tabTitleOf } from './run-status.ts';
import classes from './runs.module.css';

/** With its log and all that is told of a failure: not before a cell is opened. */
const CellDrawer = lazy(async () => ({
  default: (await import('./cell/cell-drawer.tsx')).CellDrawer,
}));
const RunTimeline = lazy(async () => ({
  default: (await import('./timeline/run-timeline.tsx')).RunTimeline,
}));

export function RunScreen() {
  const { runId } = useParams({ strict: false });
  return <RunOf key={runId} id={Number(runId)} />;
}

function RunOf({ id }: { id: number }) {
  const { moment, isMoving, news } = useRun(id);
  const run = moment.data?.run;
  const { workflow, version } = useRunWorkflow(run);
  return (
    <Screen
      title={workflow?.name ?? t`Run`}
      tabTitle={moment.data && tabTitleOf(moment.data, workflow?.name ?? t`Run`)}
      heading={workflow && <WorkflowLink id={workflow.id} name={workflow.name} />}
      lead={
        <Anchor component={Link} to="/runs" size="sm" c="var(--faint)">
          <Trans>Runs</Trans>
        </Anchor>
      }
      aside={run && <Status status={run.status} />}
      description={run && <RunFacts run={run} version={version} />}
      actions={
        run &&
        (isMoving ? <CancelButton run={run} /> : <RestartButtons run={run} version={version} />)
      }
    >
      <Await query={moment}>
        {(now) => (
          <>
            {isMoving && <RunProgress moment={now} version={version} />}
            <RunError run={now.run} />
            <Suspense>
              <AfterSamples run={now.run} inputs={inputsOf(now.run)} />
            </Suspense>
            <RunParts moment={now} version={version} news={news} />
          </>
        )}
      </Await>
    </Screen>
  );
}

const WorkflowLink = ({ id, name }: { id: number; name: string }) => (
  <Anchor
    component={Link}
    inherit
    c="inherit"
    to="/workflows/$workflowId"
    params={{ workflowId: String(id) } as never}
  >
    {name}
  </Anchor>
);

/** Of newcomers alone. */
const AfterSamples = lazy(async () => ({
  default: (await import('../../starting/after-samples.tsx')).AfterSamples,
}));

const inputsOf = ({ run_files }: Run) => run_files.filter(({ direction }) => direction === 'input');

type PartProps = { moment: Moment; version: Version | undefined };

function RunProgress({ moment: { run, progress }, version }: PartProps) {
  const { completed_nodes, total_nodes } = progress;
  return (
    <ProgressLine
      percent={progress.progress_percentage}
      label={progressWords(run, progress.current_node, version)}
      detail={t`${formatCount(completed_nodes)} of ${formatCount(total_nodes)} steps done`}
    />
  );
}

function RunError({ run }: { run: Run }) {
  if (!run.error_message) return null;
  const isPartial = run.status === 'partial_success';
  return (
    <Alert
      color={isPartial ? 'yellow' : 'red'}
      icon={<IconAlertTriangle size={18} />}
      title={isPartial ? t`Not everything worked` : t`What went wrong`}
      mb="lg"
    >
      {run.error_message}
      <OutOfCredits run={run} />
    </Alert>
  );
}

function progressWords(run: Run, currentNode: string | null, version: Version | undefined) {
  if (run.cancel_requested_at) return t`Stopping …`;
  if (currentNode === null) return run.status === 'queued' ? t`Waiting to start` : t`Working`;
  const node = version?.graph.nodes.find(({ key }) => key === currentNode);
  return node?.title || currentNode;
}

function RunParts({ moment, version, news }: PartProps & { news: RunNews }) {
  const { run, nodes } = moment;
  const { tab = 'files', cell, node } = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallbackRef((changes: object, replace = false) => {
    const search = (old: object) => ({ ...old, ...changes }) as never;
    void navigate({ to: '.', search, replace, resetScroll: false });
  });
  const graph = useMemo(() => version && runGraph(version.graph, nodes), [version, nodes]);
  const outputs = useFiles(run, 'output');
  useRunCommands(moment, outputs, change);
  /** Of a step that runs once its only cell; of others the files that it has something to tell of. */
  const chooseStep = (key: string) => {
    const told = nodes.find(({ node_key }) => node_key === key);
    const isMapped = version?.graph.nodes.find((node) => node.key === key)?.map;
    if (!isMapped) change({ cell: key });
    else change({ tab: undefined, show: told?.failure ? 'failed' : undefined });
  };
  return (
    <>
      {graph && (
        <RunGraph
          graph={graph}
          shown={node}
          onShow={(key) => change({ node: key }, true)}
          onChoose={chooseStep}
        />
      )}
      <Tabs
        value={tab}
        onChange={(value) => change({ tab: value === 'files' ? undefined : value })}
        mt="lg"
        className={classes.tabs}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="files">
            <Trans>Files</Trans>
          </Tabs.Tab>
          <Tabs.Tab value="outputs">
            <Trans>Outputs</Trans>
            {countOf(outputs.total)}
          </Tabs.Tab>
          <Tabs.Tab value="timeline">
            <Trans>Timeline</Trans>
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="files" pt="md">
          {version && (
            <RunGrid
              moment={moment}
              version={version}
              news={news}
              onOpen={(opened) => change({ cell: opened, line: undefined })}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="timeline" pt="md">
          <Suspense fallback={<LoadingRows />}>
            <RunTimeline
              moment={moment}
              news={news}
              onOpen={(opened) => change({ cell: opened, line: undefined })}
            />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="outputs" pt="md">
          <RunOutputs
            outputs={outputs}
            run={run}
            fallback={fallbackOf(run)}
            isEnded={isTerminal(run.status)}
          />
        </Tabs.Panel>
      </Tabs>
      {cell !== undefined && version && (
        <LoadedDialog onClose={() => change({ cell: undefined, line: undefined })}>
          <CellDrawer
            cell={cell}
            moment={moment}
            version={version}
            news={news}
            onClose={() => change({ cell: undefined, line: undefined })}
          />
        </LoadedDialog>
      )}
    </>
  );
}

const countOf = (count: number) => (
  <Text span size="xs" c="var(--faint)" ml={6} className="figures">
    {formatCount(count)}
  </Text>
);

function CancelButton({ run }: { run: Run }) {
  const [isAsking, setAsking] = useState(false);
  const cancel = useCancel(run.id);
  const isStopping = run.cancel_requested_at !== undefined;
  useCommands([
    {
      ...{ id: 'cancel', label: t`Cancel run…`, words: t`stop`, icon: IconPlayerStop },
      reason: isStopping ? t`It is being stopped` : undefined,
      run: () => setAsking(true),
    },
  ]);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={17} />}
        disabled={isStopping}
        onClick={() => setAsking(true)}
      >
        <Trans>Cancel run</Trans>
      </Button>
      <Confirm
        opened={isAsking}
        title={t`Cancel this run`}
        verb={t`Cancel run`}
        otherwise={t`Let it run`}
        isBusy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <Trans>
          Steps that run are stopped, steps that wait do not start. Results so far are kept.
        </Trans>
      </Confirm>
    </>
  );
}
