/** One run: its progress, its graph, the outcome of each file, and each step. */

import type { WorkflowRun as Run, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { fallbackOf } from '@cogworks/sdk/reasons';
import { isTerminal } from '@cogworks/sdk/runs';
import { Alert, Anchor, Button, Tabs, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Await, Problem } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { durationOf, formatCount } from '../../ui/format.ts';
import { GraphView } from '../../ui/graph-view.tsx';
import { ProgressLine } from '../../ui/progress-line.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Status } from '../../ui/status.tsx';
import { When } from '../../ui/when.tsx';
import { NodeRuns } from './node-runs.tsx';
import { useCancel, useFiles, useRestart, useRun, useRunWorkflow } from './queries.ts';
import { RunInputs, RunOutputs } from './run-files.tsx';
import { runGraph } from './run-status.ts';
import classes from './runs.module.css';

export function RunScreen() {
  const { runId } = useParams({ strict: false });
  return <RunOf key={runId} id={Number(runId)} />;
}

function RunOf({ id }: { id: number }) {
  const { run, progress, isMoving } = useRun(id);
  const { workflow, version } = useRunWorkflow(run.data);
  const restart = useRestart(id);
  return (
    <Screen
      title={workflow?.name ?? 'Run'}
      lead={
        <Anchor component={Link} to="/runs" size="sm" c="var(--faint)">
          Runs
        </Anchor>
      }
      aside={run.data && <Status status={run.data.status} />}
      description={run.data && <RunFacts run={run.data} version={version} />}
      actions={
        run.data &&
        (isMoving ? (
          <CancelButton run={run.data} />
        ) : (
          <RestartButtons run={run.data} restart={restart} />
        ))
      }
    >
      {restart.error && <Problem error={restart.error} title="The run could not be restarted" />}
      <Await query={run}>
        {(data) => (
          <>
            {isMoving && progress && (
              <ProgressLine
                percent={progress.progress_percentage}
                label={progressWords(data, progress.current_node, version)}
                detail={`${formatCount(progress.completed_nodes)} of ${formatCount(progress.total_nodes)} steps done`}
              />
            )}
            {data.error_message && (
              <Alert
                color={data.status === 'partial_success' ? 'yellow' : 'red'}
                icon={<IconAlertTriangle size={18} />}
                title={
                  data.status === 'partial_success' ? 'Not everything worked' : 'What went wrong'
                }
                mb="lg"
              >
                {data.error_message}
              </Alert>
            )}
            <RunParts run={data} version={version} />
          </>
        )}
      </Await>
    </Screen>
  );
}

function progressWords(run: Run, currentNode: string | null, version: Version | undefined) {
  if (run.cancel_requested_at) return 'Stopping …';
  if (currentNode === null) return run.status === 'queued' ? 'Waiting to start' : 'Working';
  const node = version?.graph.nodes.find(({ key }) => key === currentNode);
  return node?.title || currentNode;
}

function RunFacts({ run, version }: { run: Run; version: Version | undefined }) {
  const duration = durationOf(run, new Date());
  return (
    <span className="figures">
      Run #{run.id}
      {version && ` · version ${version.version_number}`}
      {run.test_run && ' · test run'} · started <When at={run.created_at} />
      {duration !== undefined && ` · ${duration}`}
      {run.restarted_from_run_id !== undefined && (
        <>
          {' · continues '}
          <Link to="/runs/$runId" params={{ runId: String(run.restarted_from_run_id) }}>
            run #{run.restarted_from_run_id}
          </Link>
        </>
      )}
      {run.superseded_by_run_id !== undefined && (
        <>
          {' · restarted as '}
          <Link to="/runs/$runId" params={{ runId: String(run.superseded_by_run_id) }}>
            run #{run.superseded_by_run_id}
          </Link>
        </>
      )}
    </span>
  );
}

function RunParts({ run, version }: { run: Run; version: Version | undefined }) {
  const [node, setNode] = useState<string>();
  const [tab, setTab] = useState<string | null>('files');
  const graph = useMemo(
    () => version && runGraph(version.graph, run.node_runs),
    [version, run.node_runs],
  );
  const outputs = useFiles(run, 'output');
  const inputs = useFiles(run, 'input');
  const choose = (key: string) => {
    setNode(key === node ? undefined : key);
    setTab('steps');
  };
  return (
    <>
      {graph && <GraphView label="Graph of this run" {...graph} chosen={node} onChoose={choose} />}
      <Tabs value={tab} onChange={setTab} mt="xl" className={classes.tabs}>
        <Tabs.List>
          <Tabs.Tab value="files">Files{countOf(inputs.total)}</Tabs.Tab>
          <Tabs.Tab value="outputs">Outputs{countOf(outputs.total)}</Tabs.Tab>
          <Tabs.Tab value="steps">Steps{countOf(run.node_runs.length)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="files" pt="md">
          <RunInputs inputs={inputs} />
        </Tabs.Panel>
        <Tabs.Panel value="outputs" pt="md">
          <RunOutputs
            outputs={outputs}
            folderId={run.output_folder_id}
            fallback={fallbackOf(run)}
            isEnded={isTerminal(run.status)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="steps" pt="md">
          <NodeRuns
            runId={run.id}
            rows={run.node_runs}
            files={inputs.files}
            node={node}
            onClear={() => setNode(undefined)}
          />
        </Tabs.Panel>
      </Tabs>
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
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={17} />}
        disabled={run.cancel_requested_at !== undefined}
        onClick={() => setAsking(true)}
      >
        Cancel run
      </Button>
      <Confirm
        opened={isAsking}
        title="Cancel this run"
        verb="Cancel run"
        otherwise="Let it run"
        isBusy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        Steps that run are stopped, steps that wait do not start. Results so far are kept.
      </Confirm>
    </>
  );
}

type RestartProps = { run: Run; restart: ReturnType<typeof useRestart> };

function RestartButtons({ run, restart }: RestartProps) {
  const isBusy = (mode: string) => restart.isPending && restart.variables === mode;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRefresh size={17} />}
        loading={isBusy('all')}
        onClick={() => restart.mutate('all')}
      >
        Run again
      </Button>
      {run.status !== 'success' && (
        <Button
          leftSection={<IconRefresh size={17} />}
          loading={isBusy('failed')}
          onClick={() => restart.mutate('failed')}
        >
          Restart what failed
        </Button>
      )}
    </>
  );
}
