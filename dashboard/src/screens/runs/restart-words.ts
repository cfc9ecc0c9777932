/** What a restart does, in sentences. Pure. */
import type { ChosenNodeRun, WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { isOutOfCredits } from './run-credits.tsx';

/** Which node runs are chosen: a step, a step for one file, or rows and single cells of the grid. */
export type Chosen = 'step' | 'file' | { files: number; cells: number };

/** All of it, what failed, or these node runs. */
export type WhatRuns = { mode: 'all' | 'failed' } | { only: ChosenNodeRun[]; chosen: Chosen };

/** What the button and the dialog are called. Of a cancelled run nothing may have failed. */
export function titleOf(what: WhatRuns, { status }: Pick<Run, 'status'>): string {
  if ('only' in what) return t`Run these again`;
  if (what.mode === 'all') return t`Run again`;
  return status === 'cancelled' ? t`Restart the rest` : t`Restart what failed`;
}

/** What a new run does and what it takes over. */
export function sentencesOf(what: WhatRuns, run: Run): string {
  return [...doing(what, run), ...(isOutOfCredits(run) ? [raise] : [])].join(' ');
}

const raise = t`The credits were not enough: raise the limit.`;

function doing(what: WhatRuns, run: Run): string[] {
  if ('only' in what) {
    // What was stopped has nothing to take over.
    const wasStopped =
      run.status === 'cancelled' || (run.on_failure === 'abort' && run.status !== 'success');
    return wasStopped
      ? [
          again(what.chosen),
          t`So does what was stopped before its end. What ended is taken over as it is.`,
        ]
      : [again(what.chosen), t`Everything else is taken over as it is.`];
  }
  if (what.mode === 'all') return [t`A new run does everything again, with the same files.`];
  return run.status === 'cancelled'
    ? [t`A new run does what was stopped or failed. What succeeded is taken over, at no cost.`]
    : [t`A new run does what failed again. What succeeded is taken over, at no cost.`];
}

function again(chosen: Chosen): string {
  if (chosen === 'step') return t`A new run does this step again, with all that follows from it.`;
  if (chosen === 'file')
    return t`A new run does this step for this file again, with all that follows from it.`;
  const words = chosenWords(chosen);
  return t`A new run does ${words} again, with all that follows from them.`;
}

/** `2 files and 1 cell` */
export function chosenWords({ files, cells }: { files: number; cells: number }): string {
  if (cells === 0) return plural(files, { one: '# file', other: '# files' });
  if (files === 0) return plural(cells, { one: '# cell', other: '# cells' });
  return t`${plural(files, { one: '# file', other: '# files' })} and ${plural(cells, { one: '# cell', other: '# cells' })}`;
}
