/** In one sentence what happened; of a failure also why, what differs, and what helps. */
import type { NodeRun, WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { reasonOf } from '@cogworks/sdk/reasons';
import type { Moment } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LogClient } from '../../../log/log-client.ts';
import { durationOf } from '../../../ui/format.ts';
import { RunLink } from '../../../ui/run-link.tsx';
import table from '../../../ui/table.module.css';
import { visibleText } from '../../../ui/visible-text.ts';
import { differences } from '../failure/differences.ts';
import { afterChange, explain } from '../failure/explain.ts';
import { FixButtons } from '../failure/fix-buttons.tsx';
import { LastLines } from '../failure/last-lines.tsx';
import { useLastSuccess } from '../failure/last-success.ts';
import classes from './cell.module.css';
import { type CellFile, type CellParts, useDefinition } from './queries.ts';

type Props = CellParts & { log: LogClient | undefined };

export function Happened(props: Props) {
  const { step } = props;
  if (step.status === 'failure') return <Failed {...props} />;
  return (
    <section className={classes.happened} aria-label={t`What happened`}>
      <p className={classes.what}>{sentenceOf(step)}</p>
      {step.outputs.map(({ name, renamed_from }) =>
        renamed_from === undefined ? null : (
          <p key={name} className={classes.hint}>
            <Trans>
              The program named a result “{renamed_from}”, which no file can be called here. It is “
              {name}”.
            </Trans>
          </p>
        ),
      )}
    </section>
  );
}

function sentenceOf(step: NodeRun): string {
  const took = durationOf(step, new Date());
  switch (step.status) {
    case 'success':
      if (step.cached)
        return t`Nothing of it has changed, so the result of an earlier run is used.`;
      return took ? t`It worked and took ${took}.` : t`It worked.`;
    case 'running':
      return took ? t`It is running, for ${took} now.` : t`It is running.`;
    case 'cancelled':
      return t`It was cancelled.`;
    default:
      return reasonOf(step) ?? t`It waits for its turn.`;
  }
}

function Failed({ step, run, version, file, log }: Props) {
  const definition = useDefinition(step.node_definition_id).data;
  const before = useLastSuccess(
    run,
    step,
    step.shard_index === undefined ? undefined : file?.name,
  ).data;
  const others = useOthers(run.id, step);
  const found = explain(step, definition, others);
  const { what, hint, fixes } = file?.has_changed ? afterChange(found) : found;
  const now = {
    version_number: version.version_number,
    variables: run.extra_variables,
    node_definition_id: step.node_definition_id,
    image: definition?.image,
    worker_id: ofOnce(step),
  };
  const then = before && {
    version_number: before.version_number,
    variables: before.run.extra_variables,
    node_definition_id: before.step.node_definition_id,
    image: before.image,
    worker_id: ofOnce(before.step),
  };
  const since = then ? differences(now, then, undefined) : [];
  const special = differences(now, undefined, file && factsOf(file, run));
  return (
    <section className={classes.happened} data-tone="bad" aria-label={t`What happened`}>
      <p className={classes.what}>{what}</p>
      <p className={classes.hint}>{hint}</p>
      {step.error_message && !/^exit code \d+$/.test(step.error_message) && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message is scrolled by keyboard
        <pre className={classes.message} tabIndex={0}>
          {withVisibleLines(step.error_message)}
        </pre>
      )}
      <LastLines log={log} />
      {before && (
        <Differs found={since}>
          <Trans>
            Since it last worked, in <RunLink id={before.run.id} />:
          </Trans>
        </Differs>
      )}
      {before && before.version_id !== version.id && (
        <Link
          to="/workflows/$workflowId/versions/$versionId"
          params={{ workflowId: String(run.workflow_id), versionId: String(version.id) }}
          search={{ from: String(before.version_id) }}
          className={table.link}
        >
          <Trans>See what changed since version {before.version_number}</Trans>
        </Link>
      )}
      <Differs found={special}>
        <Trans>What is special here:</Trans>
      </Differs>
      <FixButtons step={step} run={run} version={version} file={file} fixes={fixes} />
    </section>
  );
}

function Differs({ found, children }: { found: readonly string[]; children: ReactNode }) {
  if (found.length === 0) return null;
  return (
    <>
      <p className={classes.hint}>{children}</p>
      <ul className={classes.differs}>
        {found.map((one) => (
          <li key={one}>{visibleText(one)}</li>
        ))}
      </ul>
    </>
  );
}

/** Files of one step run on many workers, so that one of them says nothing of another. */
const ofOnce = ({ shard_index, worker_id }: NodeRun) =>
  shard_index === undefined ? worker_id : undefined;

/** A message may have several lines. */
const withVisibleLines = (text: string) => text.split('\n').map(visibleText).join('\n');

/** How the same step went for other files, from what the page knows anyway. */
function useOthers(run_id: number, { node_key, shard_index }: NodeRun) {
  const client = useQueryClient();
  if (shard_index === undefined) return undefined;
  const moment = client.getQueryData<Moment>(['run', run_id]);
  const told = moment?.nodes.find((node) => node.node_key === node_key);
  return told && { success: told.success, failure: Math.max(0, told.failure - 1) };
}

function factsOf({ name, size_bytes, cog_id }: CellFile, { run_files }: Run) {
  const others = run_files.filter(
    (one) => one.direction === 'input' && one.cog_id !== cog_id && one.status === 'success',
  );
  return { name, size_bytes, others: others.map((one) => one.size_bytes) };
}
