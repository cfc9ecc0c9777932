/** Every step of a run: one per node, or one per file. */

import type { NodeRun, RunFile } from '@cogworks/sdk/contract.gen';
import { reasonOf } from '@cogworks/sdk/reasons';
import type { Moment } from '@cogworks/sdk/runs';
import { Button, Text, VisuallyHidden } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { durationOf } from '../../ui/format.ts';
import { Status } from '../../ui/status.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { LogDialog } from './log-dialog.tsx';
import { MoreRows } from './more-rows.tsx';
import { byUrgency } from './node-run-list.ts';
import { useNodeRuns } from './queries.ts';
import { secretsUsed } from './secrets-used.ts';

/** Rows shown at first: the most urgent ones. */
const firstShown = 100;

type Props = {
  moment: Moment;
  files: readonly RunFile[];
  /** Only the steps of this node. */
  node: { key: string; title: string } | undefined;
  onClear: () => void;
};

export function NodeRuns({ moment, files, node, onClear }: Props) {
  const steps = useNodeRuns(moment, node?.key);
  const [isCut, setCut] = useState(true);
  const [logged, setLogged] = useState<number>();
  const loggedRow = steps.rows.find((row) => row.id === logged);
  const names = new Map<number | undefined, string>(files.map((file) => [file.cog_id, file.name]));
  const sorted = byUrgency(steps.rows);
  const shown = isCut ? sorted.slice(0, firstShown) : sorted;
  const now = new Date();
  const ofAllLanes = node && sorted.length > 1 ? secretsUsed(sorted) : undefined;
  return (
    <>
      {node && (
        <Button
          size="compact-sm"
          variant="light"
          mb="md"
          rightSection={<IconX size={14} />}
          onClick={onClear}
        >
          Only {node.title}
        </Button>
      )}
      {ofAllLanes && (
        <Text size="sm" c="var(--faint)" mb="sm">
          {ofAllLanes}
        </Text>
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
          {shown.map((row) => (
            <NodeRunRow
              key={row.id}
              row={row}
              fileName={names.get(row.cog_id)}
              duration={durationOf(row, now)}
              onLog={setLogged}
            />
          ))}
        </tbody>
      </table>
      {loggedRow && (
        <LogDialog
          runId={moment.run.id}
          step={loggedRow}
          title={`Log of ${[loggedRow.title || loggedRow.node_key, names.get(loggedRow.cog_id)].filter(Boolean).join(', ')}`}
          onClose={() => setLogged(undefined)}
        />
      )}
      {(shown.length < sorted.length || steps.hasMore) && (
        <MoreRows
          shown={shown.length}
          total={steps.total}
          isFetching={steps.isFetching}
          error={steps.error}
          onMore={shown.length < sorted.length ? () => setCut(false) : steps.showMore}
        />
      )}
    </>
  );
}

type RowProps = {
  row: NodeRun;
  fileName: string | undefined;
  duration: string | undefined;
  onLog: (id: number) => void;
};

/** Drawn again only if it has changed: there may be thousands, and events several times a second. */
const NodeRunRow = memo(function NodeRunRow({ row, fileName, duration, onLog }: RowProps) {
  const lane = fileName ?? (row.shard_index === undefined ? undefined : `#${row.shard_index + 1}`);
  const why = reasonOf(row);
  // Of a file among many it is told with the log, and for all of them above the list.
  const secrets = row.shard_index === undefined ? secretsUsed([row]) : undefined;
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
        {secrets && (
          <Text size="xs" c="var(--faint)">
            {secrets}
          </Text>
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
      <td className={`${table.quiet} ${table.right} ${table.wide}`}>{duration}</td>
      <td className={table.right}>
        {row.started_at !== undefined && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Log of ${row.title || row.node_key} ${lane ?? ''}`}
            onClick={() => onLog(row.id)}
          >
            Log
          </Button>
        )}
      </td>
    </tr>
  );
});
