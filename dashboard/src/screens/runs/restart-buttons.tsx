/** Runs an ended run again: all of it, or what failed. */
import type { WorkflowRun as Run, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { RestartDialog } from './restart-dialog.tsx';
import { titleOf } from './restart-words.ts';

type Props = { run: Run; version: Version | undefined };

export function RestartButtons({ run, version }: Props) {
  const [mode, setMode] = useState<'all' | 'failed'>();
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
