/** What the page of a run offers in the palette beyond what its buttons declare. */
import type { Moment } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import {
  IconDownload,
  IconFiles,
  IconFileText,
  IconTableExport,
  IconTimeline,
} from '@tabler/icons-react';
import type { Command } from '../../commands/registry.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { useDownload } from '../../downloads.ts';
import { cellOf } from './cell/cell-key.ts';
import type { useFiles } from './queries.ts';

/** The service's limit for one download. */
const mostFiles = 1000;

/** @param change changes parts of the address. */
export function useRunCommands(
  { run }: Moment,
  outputs: ReturnType<typeof useFiles>,
  change: (changes: object) => void,
): void {
  const download = useDownload();
  const failed = run.node_runs.find(({ status }) => status === 'failure');
  const { rows, total } = outputs;
  const tab = (id: string, label: string, icon: Command['icon']): Command => ({
    ...{ id, label, icon },
    run: () => change({ tab: id === 'files' ? undefined : id }),
  });
  useCommands([
    {
      ...{ id: 'failure', label: t`Open the log of the first failure`, icon: IconFileText },
      words: t`error reason why`,
      reason: failed ? undefined : t`Nothing has failed`,
      run: () => change({ cell: failed && cellOf(failed), line: undefined }),
    },
    {
      ...{ id: 'download', label: t`Download the results`, icon: IconDownload },
      words: t`outputs files`,
      reason: whyNoDownload(run.results_removed_at !== undefined, total, rows.length),
      run: () => download.mutate(rows.map(({ cog_id }) => ({ id: cog_id }))),
    },
    tab('files', t`Show the files`, IconFiles),
    tab('outputs', t`Show the outputs`, IconTableExport),
    tab('timeline', t`Show the timeline`, IconTimeline),
  ]);
}

function whyNoDownload(areGone: boolean, total: number, known: number): string | undefined {
  if (areGone) return t`The results were removed`;
  if (total === 0) return t`There are no results yet`;
  return total > mostFiles || known < total ? t`Too many for one download` : undefined;
}
