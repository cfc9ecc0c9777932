/** Runs an ended run again: all of it, or what failed. */
import type { WorkflowRun as Run, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useCommands } from '../../commands/use-commands.ts';
import { RestartDialog } from './restart-dialog.tsx';
import { titleOf } from './restart-words.ts';

type Props = { run: Run; version: Version | undefined };

export function RestartButtons({ run, version }: Props) {
  const [mode, setMode] = useState<'all' | 'failed'>();
  const reason = version ? undefined : t`Its steps are still being read`;
  const all = {
    ...{ id: 'restart all', label: t`Run again…`, words: t`restart repeat`, icon: IconRefresh },
    ...{ reason, run: () => setMode('all') },
  };
  const failed = {
    ...{ id: 'restart failed', label: titleOf({ mode: 'failed' }, run), icon: IconRefresh },
    ...{ words: t`restart repeat retry`, reason, run: () => setMode('failed') },
  };
  useCommands(run.status === 'success' ? [all] : [failed, all]);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRefresh size={17} />}
        disabled={!version}
        onClick={() => setMode('all')}
      >
        <Trans>Run again</Trans>
      </Button>
      {run.status !== 'success' && (
        <Button
          leftSection={<IconRefresh size={17} />}
          disabled={!version}
          onClick={() => setMode('failed')}
        >
          {titleOf({ mode: 'failed' }, run)}
        </Button>
      )}
      {mode && version && (
        <RestartDialog
          run={run}
          version={version}
          what={{ mode }}
          onClose={() => setMode(undefined)}
        />
      )}
    </>
  );
}
