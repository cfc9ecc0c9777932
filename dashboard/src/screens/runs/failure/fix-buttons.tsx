/** What may help after a failure: the best as a button, the others behind it. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { isTerminal } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { LoadedDialog } from '../../../ui/loaded-dialog.tsx';
import classes from '../cell/cell.module.css';
import type { CellParts } from '../cell/queries.ts';
import { RestartDialog } from '../restart-dialog.tsx';
import type { WhatRuns } from '../restart-words.ts';
import type { Fix } from './explain.ts';
import { moreLabels } from './limit-words.ts';
import { limitReached } from './raised-limit.ts';
import { ReplacedDialog } from './replaced-dialog.tsx';
import { SkipDialog } from './skip-dialog.tsx';

const RaiseLimitDialog = lazy(async () => ({
  default: (await import('./raise-limit-dialog.tsx')).RaiseLimitDialog,
}));

type Props = CellParts & { fixes: readonly Fix[] };

const labels: Record<Exclude<Fix, 'raise-limit'>, string> = {
  retry: t`Try this again`,
  variables: t`Run with other variables`,
  'change-step': t`Change the step`,
  skip: t`Go on without this file`,
  replace: t`Replace the file`,
  replaced: t`Run with the new version of the file`,
  secret: t`Go to the secrets`,
  storage: t`See what takes the room`,
  credits: t`Run again with more credits`,
};

const startsRun: ReadonlySet<Fix> = new Set([
  ...(['skip', 'replaced', 'retry', 'variables', 'credits', 'raise-limit'] as const),
]);

export function FixButtons({ step, run, version, file, fixes }: Props) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'restart' | 'skip' | 'replaced' | 'raise-limit'>();
  const isEnded = isTerminal(run.status);
  const isOfInput = version.graph.inputs.length === 1 && file?.cog_id !== undefined;
  const possible = fixes.filter(
    (fix) =>
      !((fix === 'skip' || fix === 'replaced') && !isOfInput) &&
      !(fix === 'replace' && file?.folder === undefined),
  );
  const what: WhatRuns = { only: [chosenOf(step)], chosen: 'file' };
  const act = (fix: Fix) => {
    if (fix === 'skip' || fix === 'replaced' || fix === 'raise-limit') setAsked(fix);
    else if (fix === 'change-step')
      void navigate({
        to: '/workflows/$workflowId/versions/$versionId',
        params: {
          workflowId: String(run.workflow_id),
          versionId: String(run.workflow_version_id),
        },
        search: { node: step.node_key, panel: 'inspector' },
      });
    else if (fix === 'replace')
      void navigate({
        to: '/files/$folderId',
        params: { folderId: String(file?.folder) },
        search: { details: file?.cog_id },
      });
    else if (fix === 'secret') void navigate({ to: '/settings/secrets' });
    else if (fix === 'storage') void navigate({ to: '/settings/subscription' });
    else setAsked('restart');
  };
  return (
    <div className={classes.fixes}>
      {possible.map((fix, at) => (
        <Button
          key={fix}
          size="xs"
          variant={at === 0 ? 'filled' : 'default'}
          disabled={!isEnded && startsRun.has(fix)}
          onClick={() => act(fix)}
        >
          {fix === 'raise-limit' ? moreLabels[limitReached(step)] : labels[fix]}
        </Button>
      ))}
      {!isEnded && (
        <Text size="xs" c="var(--faint)">
          <Trans>It can be tried again once the run has ended.</Trans>
        </Text>
      )}
      {asked === 'restart' && (
        <RestartDialog
          run={run}
          version={version}
          what={what}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'raise-limit' && (
        <LoadedDialog onClose={() => setAsked(undefined)}>
          <RaiseLimitDialog {...{ step, run }} onClose={() => setAsked(undefined)} />
        </LoadedDialog>
      )}
      {asked === 'replaced' && file?.cog_id !== undefined && (
        <ReplacedDialog
          run={run}
          cogId={file.cog_id}
          name={file.name}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'skip' && file?.cog_id !== undefined && (
        <SkipDialog
          run={run}
          cogId={file.cog_id}
          name={file.name}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}

/** As a restart names a node run. */
export const chosenOf = ({ node_key, shard_index }: NodeRun) => ({
  node_key,
  ...(shard_index === undefined ? {} : { shard_index }),
});
