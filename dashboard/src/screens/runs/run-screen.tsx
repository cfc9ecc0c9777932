/** One run: its progress, its graph, the outcome of each file, and each step. */

import type { WorkflowRun as Run, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { fallbackOf } from '@cogworks/sdk/reasons';
import { isTerminal, type Moment } from '@cogworks/sdk/runs';
import { Alert, Anchor, Button, Tabs, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerStop } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { AfterSamples } from '../../starting/after-samples.tsx';
import { Await, Problem } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { durationOf, formatCount } from '../../ui/format.ts';
import { GraphView } from '../../ui/graph-view.tsx';
import { ProgressLine } from '../../ui/progress-line.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Status } from '../../ui/status.tsx';
import { When } from '../../ui/when.tsx';
import { placeOf } from './node-run-list.ts';
import { NodeRuns } from './node-runs.tsx';
import { useCancel, useFiles, useRestart, useRun, useRunWorkflow } from './queries.ts';
import { RestartButtons } from './restart-buttons.tsx';
import { OutOfCredits, SpentCredits } from './run-credits.tsx';
import { RunInputs, RunOutputs } from './run-files.tsx';
import { runGraph } from './run-status.ts';
import classes from './runs.module.css';

export function RunScreen() {
  const { runId } = useParams({ strict: false });
  return <RunOf key={runId} id={Number(runId)} />;
}

function RunOf({ id }: { id: number }) {
  const { moment, isMoving } = useRun(id);
  const run = moment.data?.run;
  const { workflow, version } = useRunWorkflow(run);
  const restart = useRestart(id);
  return (
    <Screen
      title={workflow?.name ?? 'Run'}
      lead={
        <Anchor component={Link} to="/runs" size="sm" c="var(--faint)">
          Runs
        </Anchor>
      }
      aside={run && <Status status={run.status} />}
      description={run && <RunFacts run={run} version={version} />}
      actions={
        run &&
        (isMoving ? <CancelButton run={run} /> : <RestartButtons run={run} restart={restart} />)
      }
    >
      {restart.error && <Problem error={restart.error} title="The run could not be restarted" />}
      <Await query={moment}>
        {(now) => (
          <>
            {isMoving && <RunProgress moment={now} version={version} />}
            <RunError run={now.run} />
            <AfterSamples run={now.run} inputs={inputsOf(now.run)} />
            <RunParts moment={now} version={version} />
          </>
        )}
      </Await>
    </Screen>
  );
}

const inputsOf = ({ run_files }: Run) => run_files.filter(({ direction }) => direction === 'input');

type PartProps = { moment: Moment; version: Version | undefined };

function RunProgress({ moment: { run, progress }, version }: PartProps) {
  const { completed_nodes, total_nodes } = progress;
  return (
    <ProgressLine
      percent={progress.progress_percentage}
      label={progressWords(run, progress.current_node, version)}
      detail={`${formatCount(completed_nodes)} of ${formatCount(total_nodes)} steps done`}
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
      title={isPartial ? 'Not everything worked' : 'What went wrong'}
      mb="lg"
    >
      {run.error_message}
      <OutOfCredits run={run} />
    </Alert>
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
      <SpentCredits run={run} />
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

function RunParts({ moment, version }: PartProps) {
  const { run, nodes } = moment;
  const [node, setNode] = useState<string>();
  const [tab, setTab] = useState<string | null>('files');
  const graph = useMemo(() => version && runGraph(version.graph, nodes), [version, nodes]);
  const chosen = graph?.nodes.find(({ key }) => key === node);
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
          <Tabs.Tab value="steps">Steps{countOf(placeOf(nodes, undefined).total)}</Tabs.Tab>
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
            key={node}
            moment={moment}
            files={inputs.rows}
            node={chosen}
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
