/** Files × steps of a run: what is looked for, the grid itself, and what is chosen in it. */
import type { NodeRun, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { isTerminal, type Moment } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useCallbackRef, useDebouncedCallback } from '@mantine/hooks';
import { IconArrowBarToUp } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { RunNews } from '../../../run-news.ts';
import { LoadingRows, Problem } from '../../../ui/await.tsx';
import { countsOf } from '../run-status.ts';
import { type Chosen, noneChosen } from './chosen.ts';
import { ChosenBar } from './chosen-bar.tsx';
import classes from './grid.module.css';
import { GridFrame } from './grid-frame.tsx';
import { countBehind, type GridView, orderOf } from './grid-order.ts';
import type { GridReader } from './grid-reader.ts';
import { GridTools } from './grid-tools.tsx';
import { useRunGrid } from './use-run-grid.ts';

type Props = {
  moment: Moment;
  version: Version;
  news: RunNews;
  onOpen: (cell: string) => void;
};

export function RunGrid({ moment, version, news, onOpen }: Props) {
  const reader = useRunGrid(moment, news);
  const { show, q, order: wanted } = useSearch({ strict: false });
  const view: GridView = { state: show, q, isByFile: wanted === 'files' };
  const navigate = useNavigate();
  const change = useCallbackRef((changes: object) => {
    const search = (old: object) => ({ ...old, ...changes }) as never;
    void navigate({ to: '.', search, replace: true, resetScroll: false });
  });
  const search = useDebouncedCallback((text: string) => change({ q: text || undefined }), 200);
  const { order, behind, refresh } = useOrder(reader, view, isTerminal(moment.run.status));
  const [chosen, setChosen] = useState<Chosen>(noneChosen);
  const isFiltered = view.state !== undefined || Boolean(view.q);
  useEffect(() => reader.wantAll(isFiltered), [reader, isFiltered]);
  const titles = useMemo(
    () => new Map(version.graph.nodes.map(({ key, title }) => [key, title || key])),
    [version],
  );
  const counts = useMemo(
    () => new Map(moment.nodes.map((node) => [node.node_key, countsOf(node)])),
    [moment.nodes],
  );
  const reasons = useCallbackRef((key: string, shard_index: number | undefined) =>
    moment.run.node_runs.find(
      (one: NodeRun) => one.node_key === key && one.shard_index === shard_index,
    ),
  );
  if (!reader.rows.hasHead)
    return reader.error ? <Problem error={reader.error} /> : <LoadingRows rows={5} />;
  return (
    <>
      {reader.error != null && <Problem error={reader.error} />}
      <GridTools
        reader={reader}
        view={view}
        found={order.length}
        onState={(state) => change({ show: state })}
        onSearch={search}
        onOrder={(isByFile) => change({ order: isByFile ? 'files' : undefined })}
      />
      {behind > 0 && (
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          mb="sm"
          leftSection={<IconArrowBarToUp size={15} />}
          onClick={refresh}
        >
          <Plural
            value={behind}
            one="# more file failed: show first"
            other="# more files failed: show first"
          />
        </Button>
      )}
      {order.length === 0 && isFiltered ? (
        <Text size="sm" c="var(--faint)" py="xl" ta="center" className={classes.none}>
          {reader.isReading ? t`Looking …` : t`No file of this run is like that.`}
        </Text>
      ) : (
        <GridFrame
          reader={reader}
          order={order}
          titles={titles}
          counts={counts}
          chosen={chosen}
          reasonOf={reasons}
          onChoose={setChosen}
          onOpen={onOpen}
        />
      )}
      <ChosenBar
        run={moment.run}
        reader={reader}
        version={version}
        chosen={chosen}
        onNone={() => setChosen(noneChosen)}
      />
    </>
  );
}

/**
 * The order stays while cells change, so that no row moves away from under the mouse. It is made
 * again when more was read, something else is looked for, the run ends, or it is asked for.
 */
function useOrder({ rows, isComplete, isReading }: GridReader, view: GridView, isEnded: boolean) {
  const { state, q, isByFile } = view;
  const [asked, setAsked] = useState(0);
  const isFiltered = state !== undefined || Boolean(q);
  const known = isComplete ? rows.total : rows.countRead;
  // What is looked for comes and goes with the cells.
  const changes = isFiltered ? rows.version : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const order = useMemo(
    () => orderOf(rows, { state, q, isByFile }),
    [rows, rows.total, known, state, q, isByFile, asked, isEnded && !isReading, changes],
  );
  const { version } = rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the rows
  const behind = useMemo(
    () => (isByFile || isFiltered ? 0 : countBehind(rows, order)),
    [rows, version, order, isByFile, isFiltered],
  );
  return { order, behind, refresh: () => setAsked(asked + 1) };
}
