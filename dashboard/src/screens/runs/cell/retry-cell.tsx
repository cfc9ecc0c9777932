/** Runs one step for one file again, with all that follows from it. */
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { chosenOf } from '../failure/fix-buttons.tsx';
import { RestartDialog } from '../restart-dialog.tsx';
import type { CellParts } from './queries.ts';

export function RetryCell({ step, run, version, file }: CellParts) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={15} />}
        onClick={() => setAsked(true)}
      >
        <Trans>Run this again</Trans>
      </Button>
      {isAsked && (
        <RestartDialog
          run={run}
          version={version}
          what={{ only: [chosenOf(step)], chosen: file ? 'file' : 'step' }}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
