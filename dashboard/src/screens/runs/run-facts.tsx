/** Below the title of a run: who or what started it, when, of which version, over which files. */
import type { WorkflowRun as Run, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useNames } from '../../people.ts';
import { durationOf, plural } from '../../ui/format.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { When } from '../../ui/when.tsx';
import { SpentCredits } from './run-credits.tsx';
import classes from './runs.module.css';

type Props = { run: Run; version: Version | undefined };

export function RunFacts({ run, version }: Props) {
  const duration = durationOf(run, new Date());
  return (
    <>
      <span className="figures">
        Run #{run.id}
        {version && (
          <>
            {' · '}
            <Link
              to="/workflows/$workflowId/versions/$versionId"
              params={{ workflowId: String(run.workflow_id), versionId: String(version.id) }}
            >
              version {version.version_number}
            </Link>
          </>
        )}
        {run.test_run && ' · test run'} · started <When at={run.created_at} />
        <StartedBy run={run} />
        {duration !== undefined && ` · ${duration}`}
        <Inputs run={run} />
        <SpentCredits run={run} />
        <Others run={run} />
      </span>
      <Variables given={run.extra_variables} />
    </>
  );
}

function StartedBy({ run }: { run: Run }) {
  const nameOf = useNames();
  if (run.trigger_id === undefined) return ` by ${nameOf(run.started_by).replace(/^You$/, 'you')}`;
  return (
    <>
      {' by '}
      <Link to="/triggers/$triggerId" params={{ triggerId: String(run.trigger_id) }}>
        a trigger
      </Link>
    </>
  );
}

/** How many files there are, and a way to the folder of the first. */
function Inputs({ run }: { run: Run }) {
  const inputs = run.run_files.filter(({ direction }) => direction === 'input');
  const count = run.run_files_total?.input ?? inputs.length;
  const id = inputs[0]?.cog_id;
  const first = useQuery({
    queryKey: ['cog', id],
    queryFn: () => api.getCog({ path: { id: id ?? 0 } }),
    enabled: id !== undefined,
    retry: false,
  });
  if (count === 0) return null;
  const words = plural(count, 'file');
  const folder = first.data?.parent_id;
  if (folder === undefined) return ` · ${words}`;
  return (
    <>
      {' · '}
      <Link to="/files/$folderId" params={{ folderId: String(folder) }}>
        {words}
      </Link>
    </>
  );
}

const Others = ({ run }: { run: Run }) => (
  <>
    {run.restarted_from_run_id !== undefined && (
      <>
        {' · continues '}
        <Link to="/runs/$runId" params={{ runId: String(run.restarted_from_run_id) }}>
          run #{run.restarted_from_run_id}
        </Link>
      </>
    )}
    {run.reuse_from_run_id !== undefined && (
      <>
        {' · takes over from '}
        <Link to="/runs/$runId" params={{ runId: String(run.reuse_from_run_id) }}>
          run #{run.reuse_from_run_id}
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
  </>
);

/** What it was started with; the defaults of others are in its version. */
function Variables({ given }: { given: Run['extra_variables'] }) {
  const all = Object.entries(given);
  if (all.length === 0) return null;
  return (
    <ul className={classes.variables} aria-label="Variables">
      {all.map(([name, value]) => (
        <li key={name} title={textOf(value)}>
          {name} <b>{textOf(value).slice(0, 60)}</b>
        </li>
      ))}
    </ul>
  );
}

const textOf = (value: unknown) =>
  visibleText(typeof value === 'string' ? value : JSON.stringify(value));
