/** What became of each start of a trigger, newest first. */
import type { Firing } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useApiPages } from '../../api-pages.ts';
import { Empty } from '../../ui/empty.tsx';
import { OlderRows } from '../../ui/older-rows.tsx';
import { RunLink } from '../../ui/run-link.tsx';
import { Status } from '../../ui/status.tsx';
import table from '../../ui/table.module.css';
import { When } from '../../ui/when.tsx';

const sources: Record<Firing['source'], string> = {
  tick: t`By its schedule`,
  hand: t`By hand`,
  message: t`By a message`,
  files: t`By new files`,
};

/** What started it, and how many times of a schedule one run was for. */
function startOf({ source, ticks }: Firing): string {
  const start = sources[source];
  return ticks > 1
    ? t`${start}, ${plural(ticks, { one: '# time', other: '# times' })} together`
    : start;
}

export function Firings({ id }: { id: number }) {
  const list = useApiPages(['firings', id], 'listFirings', { path: { id }, query: { limit: 50 } });
  return (
    <OlderRows list={list} empty={<NeverFired />}>
      {(rows) => <FiringTable rows={rows} />}
    </OlderRows>
  );
}

const FiringTable = ({ rows }: { rows: readonly Firing[] }) => (
  <table className={table.table}>
    <thead>
      <tr>
        <th>
          <Trans>When</Trans>
        </th>
        <th>
          <Trans>Outcome</Trans>
        </th>
        <th>
          <Trans>Run</Trans>
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map((firing) => (
        <tr key={firing.id}>
          <td style={{ width: '50%' }}>
            <When at={firing.tick_at} />
            <Text span size="sm" c="var(--faint)" ml={8}>
              {startOf(firing)}
            </Text>
            {firing.reason && (
              <Text size="xs" c="var(--faint)">
                {firing.reason}
              </Text>
            )}
          </td>
          <td>
            <Status status={firing.state} />
          </td>
          <td>{firing.workflow_run_id !== undefined && <RunLink id={firing.workflow_run_id} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const NeverFired = () => (
  <Empty icon={<IconBolt size={30} stroke={1.5} />} title={t`It has not fired yet`}>
    <Trans>
      Each start, and each that was left out, will be here with its reason for 90 days. “Run now”
      tries it out.
    </Trans>
  </Empty>
);
