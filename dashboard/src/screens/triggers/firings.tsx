/** What became of each start of a trigger, newest first. */
import type { Firing } from '@cogworks/sdk/contract.gen';
import { Text } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useApiPages } from '../../api-pages.ts';
import { Empty } from '../../ui/empty.tsx';
import { plural } from '../../ui/format.ts';
import { OlderRows } from '../../ui/older-rows.tsx';
import { RunLink } from '../../ui/run-link.tsx';
import { Status } from '../../ui/status.tsx';
import table from '../../ui/table.module.css';
import { When } from '../../ui/when.tsx';

const sources: Record<Firing['source'], string> = {
  tick: 'By its schedule',
  hand: 'By hand',
  message: 'By a message',
  files: 'By new files',
};

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
        <th>When</th>
        <th>Outcome</th>
        <th>Run</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((firing) => (
        <tr key={firing.id}>
          <td style={{ width: '50%' }}>
            <When at={firing.tick_at} />
            <Text span size="sm" c="var(--faint)" ml={8}>
              {sources[firing.source]}
            </Text>
            {firing.ticks > 1 && (
              <Text span size="sm" c="var(--faint)">
                , {plural(firing.ticks, 'time')} together
              </Text>
            )}
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
  <Empty icon={<IconBolt size={30} stroke={1.5} />} title="It has not fired yet">
    Each start, and each that was left out, will be here with its reason for 90 days. “Run now”
    tries it out.
  </Empty>
);
