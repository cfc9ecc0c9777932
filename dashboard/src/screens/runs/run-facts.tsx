/** Below the title of a run: who or what started it, when, of which version, over which files. */
import type { WorkflowRun as Run, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useMe, useNames } from '../../people.ts';
import { durationOf } from '../../ui/format.ts';
import { When } from '../../ui/when.tsx';
import { SpentCredits } from './run-credits.tsx';
import { shownVariables } from './run-variables.ts';
import classes from './runs.module.css';

type Props = { run: Run; version: Version | undefined };

export function RunFacts({ run, version }: Props) {
  const duration = durationOf(run, new Date());
  return (
    <>
      <span className="figures">
        <Trans>Run #{run.id}</Trans>
        {version && (
          <>
            {' · '}
            <Link
              to="/workflows/$workflowId/versions/$versionId"
              params={{ workflowId: String(run.workflow_id), versionId: String(version.id) }}
            >
              <Trans>version {version.version_number}</Trans>
            </Link>
          </>
        )}
        {run.test_run && ` · ${t`test run`}`} · <Started run={run} />
        {duration !== undefined && ` · ${duration}`}
        <Inputs run={run} />
        <SpentCredits run={run} />
        <Others run={run} />
      </span>
      <Variables run={run} version={version} />
    </>
  );
}

function Started({ run: { created_at, trigger_id, started_by } }: { run: Run }) {
  const nameOf = useNames();
  const { data: me } = useMe();
  if (trigger_id !== undefined)
    return (
      <Trans>
        started <When at={created_at} /> by <Trigger id={trigger_id} />
      </Trans>
    );
  if (started_by === me?.id)
    return (
      <Trans>
        started <When at={created_at} /> by you
      </Trans>
    );
  const name = nameOf(started_by);
  return (
    <Trans>
      started <When at={created_at} /> by {name}
    </Trans>
  );
}

const Trigger = ({ id }: { id: number }) => (
  <Link to="/triggers/$triggerId" params={{ triggerId: String(id) }}>
    <Trans>a trigger</Trans>
  </Link>
);

/** How many files there are, and a way to the folder of the first; others may be elsewhere. */
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
  const words = plural(count, { one: '# file', other: '# files' });
  const folder = first.data?.parent_id;
  if (folder === undefined) return ` · ${words}`;
  return (
    <>
      {` · ${words} (`}
      <Link to="/files/$folderId" params={{ folderId: String(folder) }}>
        {count === 1 ? <Trans>its folder</Trans> : <Trans>folder of the first</Trans>}
      </Link>
      )
    </>
  );
}

const Others = ({ run }: { run: Run }) => (
  <>
    {run.restarted_from_run_id !== undefined && (
      <>
        {' · '}
        <Trans>
          continues <Other id={run.restarted_from_run_id} />
        </Trans>
      </>
    )}
    {run.reuse_from_run_id !== undefined && (
      <>
        {' · '}
        <Trans>
          takes over from <Other id={run.reuse_from_run_id} />
        </Trans>
      </>
    )}
    {run.superseded_by_run_id !== undefined && (
      <>
        {' · '}
        <Trans>
          restarted as <Other id={run.superseded_by_run_id} />
        </Trans>
      </>
    )}
  </>
);

const Other = ({ id }: { id: number }) => (
  <Link to="/runs/$runId" params={{ runId: String(id) }}>
    <Trans>run #{id}</Trans>
  </Link>
);

/** With what values it runs; defaults are told apart from what was chosen. */
function Variables({ run, version }: Props) {
  const all = shownVariables(run.extra_variables, version?.variables);
  if (all.length === 0) return null;
  return (
    <ul className={classes.variables} aria-label={t`Variables`}>
      {all.map(({ name, text, isDefault }) => (
        <li key={name} title={text}>
          {name} {text === undefined ? <i>{t`not set`}</i> : <b>{text.slice(0, 60)}</b>}
          {isDefault && (
            <i>
              {' '}
              <Trans>default</Trans>
            </i>
          )}
        </li>
      ))}
    </ul>
  );
}
