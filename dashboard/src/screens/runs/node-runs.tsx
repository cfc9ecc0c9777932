/** Every step of a run: one per node, or one per file. */

import type { NodeRun, RunFile } from '@cogworks/sdk/contract.gen';
import { reasonOf } from '@cogworks/sdk/reasons';
import { Button, Text, VisuallyHidden } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { durationOf } from '../../ui/format.ts';
import { Status } from '../../ui/status.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { LogDialog } from './log-dialog.tsx';

/** Rows per page; failed and running steps come first. */
const step = 100;

type Props = {
  runId: number;
  rows: readonly NodeRun[];
  files: readonly RunFile[];
  /** Only the steps of this node. */
  node: string | undefined;
  onClear: () => void;
};

export function NodeRuns({ runId, rows, files, node, onClear }: Props) {
  const [shown, setShown] = useState(step);
  const [logged, setLogged] = useState<number>();
  const loggedRow = rows.find((row) => row.id === logged);
  const names = new Map<number | undefined, string>(files.map((file) => [file.cog_id, file.name]));
  const wanted = node === undefined ? rows : rows.filter((row) => row.node_key === node);
  const sorted = wanted.toSorted((a, b) => urgency[a.status] - urgency[b.status] || a.id - b.id);
  return (
    <>
      {node !== undefined && (
        <Button
          size="compact-sm"
          variant="light"
          mb="md"
          rightSection={<IconX size={14} />}
          onClick={onClear}
        >
          Only {rows.find((row) => row.node_key === node)?.title ?? node}
        </Button>
      )}
      <table className={table.table}>
        <thead>
          <tr>
            <th>Step</th>
            <th>Status</th>
            <th className={`${table.right} ${table.wide}`}>Tries</th>
            <th className={`${table.right} ${table.wide}`}>Duration</th>
            <th>
              <VisuallyHidden>Log</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((row) => (
            <NodeRunRow
              key={row.id}
              row={row}
              fileName={names.get(row.cog_id)}
              onLog={() => setLogged(row.id)}
            />
          ))}
        </tbody>
      </table>
      {loggedRow && (
        <LogDialog
          runId={runId}
          step={loggedRow}
          title={`Log of ${loggedRow.title || loggedRow.node_key}`}
          onClose={() => setLogged(undefined)}
        />
      )}
      {sorted.length > shown && (
        <Button variant="subtle" fullWidth mt="sm" onClick={() => setShown(shown + step)}>
          Show more
        </Button>
      )}
    </>
  );
}

const urgency: Record<NodeRun['status'], number> = {
  failure: 0,
  running: 1,
  queued: 2,
  pending: 3,
  success: 4,
  cancelled: 5,
  skipped: 6,
};

type RowProps = { row: NodeRun; fileName: string | undefined; onLog: () => void };

function NodeRunRow({ row, fileName, onLog }: RowProps) {
  const lane = fileName ?? (row.shard_index === undefined ? undefined : `#${row.shard_index + 1}`);
  const why = reasonOf(row);
  return (
    <tr>
      <td style={{ width: '60%' }}>
        <Text span size="sm" fw={520}>
          {row.title || row.node_key}
        </Text>
        {lane && (
          <Text span size="sm" c="var(--faint)">
            {' · '}
            {lane}
          </Text>
        )}
        {row.outputs.map(({ name, renamed_from }) =>
          renamed_from === undefined ? null : (
            <Text key={name} size="xs" c="var(--faint)">
              The program named a result “{renamed_from}”, which no file can be called here. It is “
              {name}”.
            </Text>
          ),
        )}
        {why && (
          <Text
            size="xs"
            c={row.error_message ? 'var(--mantine-color-error)' : 'var(--faint)'}
            pb={6}
          >
            {why}
          </Text>
        )}
      </td>
      <td>
        <Status status={row.status} /> {row.cached && <Tag>Reused</Tag>}
      </td>
      <td className={`${table.quiet} ${table.right} ${table.wide}`}>
        {row.attempt > 1 ? row.attempt : ''}
      </td>
      <td className={`${table.quiet} ${table.right} ${table.wide}`}>
        {durationOf(row, new Date()) ?? ''}
      </td>
      <td className={table.right}>
        {row.started_at !== undefined && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Log of ${row.title || row.node_key} ${lane ?? ''}`}
            onClick={onLog}
          >
            Log
          </Button>
        )}
      </td>
    </tr>
  );
}
