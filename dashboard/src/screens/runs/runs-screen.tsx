/** The list of runs with their outcomes. The URL has the filter. */
import type { WorkflowRunSummary } from '@cogworks/sdk/contract.gen';
import { runStatuses } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Loader, SegmentedControl, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Await } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Empty } from '../../ui/empty.tsx';
import { durationOf } from '../../ui/format.ts';
import { Screen } from '../../ui/screen.tsx';
import { Status, statusLabel } from '../../ui/status.tsx';
import table from '../../ui/table.module.css';
import { When } from '../../ui/when.tsx';
import { useWorkflows } from '../../workflows.ts';
import { useRuns } from './queries.ts';

const filters = ['', ...runStatuses] as const;

export function RunsScreen() {
  const { status, workflow_id } = useSearch({ strict: false });
  const navigate = useNavigate();
  const runs = useRuns({ status, workflow_id });
  return (
    <Screen
      title={t`Runs`}
      actions={
        <ButtonLink to="/runs/new" leftSection={<IconPlus size={17} />}>
          <Trans>New run</Trans>
        </ButtonLink>
      }
    >
      <div className={table.scroll} style={{ marginBottom: 20 }}>
        <SegmentedControl
          size="xs"
          withItemsBorders={false}
          aria-label={t`Status`}
          value={status ?? ''}
          onChange={(value) =>
            void navigate({
              to: '.',
              search: (old) => ({ ...old, status: value || undefined }) as never,
              replace: true,
            })
          }
          data={filters.map((value) => ({
            value,
            label: value === '' ? t`All` : statusLabel(value),
          }))}
        />
      </div>
      <Await query={runs}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows);
          if (rows.length === 0) return <NoRuns isFiltered={status !== undefined} />;
          return (
            <>
              <RunTable rows={rows} />
              {runs.hasNextPage && (
                <Button
                  variant="subtle"
                  mt="md"
                  fullWidth
                  onClick={() => void runs.fetchNextPage()}
                  {...(runs.isFetchingNextPage ? { leftSection: <Loader size="xs" /> } : {})}
                >
                  <Trans>Show older runs</Trans>
                </Button>
              )}
            </>
          );
        }}
      </Await>
    </Screen>
  );
}

function RunTable({ rows }: { rows: readonly WorkflowRunSummary[] }) {
  const workflows = useWorkflows();
  const names = new Map(workflows.data?.map(({ id, name }) => [id, name]));
  const now = new Date();
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>
            <Trans>Run</Trans>
          </th>
          <th>
            <Trans>Status</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Started</Trans>
          </th>
          <th className={`${table.right} ${table.wide}`}>
            <Trans>Duration</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((run) => (
          <tr key={run.id}>
            <td style={{ width: '55%' }}>
              <Link to="/runs/$runId" params={{ runId: String(run.id) }} className={table.link}>
                {names.get(run.workflow_id) ?? t`Workflow ${run.workflow_id}`}
              </Link>{' '}
              <Text span size="xs" c="var(--faint)" className="figures">
                #{run.id}
                {run.test_run ? ` · ${t`test`}` : ''}
              </Text>
              {run.error_message && (
                <Text size="xs" c="var(--faint)" lineClamp={1}>
                  {run.error_message}
                </Text>
              )}
            </td>
            <td>
              <Status status={run.status} />
            </td>
            <td className={`${table.quiet} ${table.wide}`}>
              <When at={run.created_at} now={now} />
            </td>
            <td className={`${table.quiet} ${table.right} ${table.wide}`}>
              {durationOf(run, now) ?? '–'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NoRuns = ({ isFiltered }: { isFiltered: boolean }) => (
  <Empty
    icon={<IconPlayerPlay size={30} stroke={1.5} />}
    title={isFiltered ? t`No runs with this status` : t`No runs yet`}
    action={
      <ButtonLink to="/files" variant="default">
        <Trans>Go to your files</Trans>
      </ButtonLink>
    }
  >
    <Trans>Choose files and press “Run workflow…”, or start a new run from here.</Trans>
  </Empty>
);
