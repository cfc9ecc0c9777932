/** What is chosen in a grid, and the button that runs it again. */
import type { WorkflowRun as Run, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { isTerminal } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconRefresh, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import bar from '../../../ui/rows/selection-bar.module.css';
import { RestartDialog } from '../restart-dialog.tsx';
import { chosenWords } from '../restart-words.ts';
import { type Chosen, cellsIn, countChosen, toRunAgain, unreadIn } from './chosen.ts';
import type { GridReader } from './grid-reader.ts';

type Props = {
  run: Run;
  reader: GridReader;
  version: Version;
  chosen: Chosen;
  onNone: () => void;
};

/** The service's limit. */
const most = 1000;

export function ChosenBar({ run, reader, version, chosen, onNone }: Props) {
  const [isAsked, setAsked] = useState(false);
  const { rows } = reader;
  const isMany = chosen.rows.size > most;
  const unread = isMany ? [] : unreadIn(rows, chosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the reader goes on by itself
  useEffect(() => reader.need(unread), [reader, chosen]);
  if (countChosen(chosen) === 0) return null;
  const cells = cellsIn(rows, chosen);
  const only = toRunAgain(rows, version.graph, chosen);
  const counts = { files: chosen.rows.size, cells: cells.length };
  const why = !isTerminal(run.status)
    ? t`Once this run has ended`
    : isMany || only.length > most
      ? t`At most ${most} at once`
      : unread.length > 0
        ? t`Reading what was chosen …`
        : undefined;
  return (
    <div className={bar.bar} role="toolbar" aria-label={t`Chosen files and cells`}>
      <Tooltip label={t`Choose none`}>
        <ActionIcon className={bar.icon} onClick={onNone} aria-label={t`Choose none`}>
          <IconX size={18} />
        </ActionIcon>
      </Tooltip>
      <span className={bar.count} aria-live="polite">
        {chosenWords(counts)}
        {why && <small>{why}</small>}
      </span>
      <Button
        size="sm"
        leftSection={<IconRefresh size={16} />}
        className={bar.main}
        disabled={why !== undefined || only.length === 0}
        onClick={() => setAsked(true)}
      >
        <span className={bar.label}>
          <Trans>Run these again</Trans>
        </span>
      </Button>
      {isAsked && (
        <RestartDialog
          run={run}
          version={version}
          what={{ only, chosen: counts }}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  );
}
