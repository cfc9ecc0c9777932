/** Runs an ended run again: all of it, or what failed. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { Button, Group, Stack } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { creditsFault, creditsIn } from '../../run-inputs/credits.ts';
import { CreditsField } from '../../run-inputs/credits-field.tsx';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { Restart, useRestart } from './queries.ts';
import { isOutOfCredits } from './run-credits.tsx';

type Mode = Restart['mode'];
type Props = { run: Run; restart: ReturnType<typeof useRestart> };

const labels: Record<Mode, string> = { all: 'Run again', failed: 'Restart what failed' };

export function RestartButtons({ run, restart }: Props) {
  const [asked, setAsked] = useState<Mode>();
  const isBusy = (mode: Mode) => restart.isPending && restart.variables.mode === mode;
  // With the same limit it might end in the same way.
  const needsLimit = run.max_credits !== undefined && isOutOfCredits(run);
  const again = (mode: Mode) => (needsLimit ? setAsked(mode) : restart.mutate({ mode }));
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRefresh size={17} />}
        loading={isBusy('all')}
        onClick={() => again('all')}
      >
        {labels.all}
      </Button>
      {run.status !== 'success' && (
        <Button
          leftSection={<IconRefresh size={17} />}
          loading={isBusy('failed')}
          onClick={() => again('failed')}
        >
          {labels.failed}
        </Button>
      )}
      {asked && (
        <LimitDialog mode={asked} run={run} restart={restart} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

type DialogProps = Props & { mode: Mode; onClose: () => void };

function LimitDialog({ mode, run, restart, onClose }: DialogProps) {
  const [text, setText] = useState(String(run.max_credits));
  const max_credits = creditsIn(text);
  const isValid = max_credits !== undefined && creditsFault(text) === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isValid) restart.mutate({ mode, max_credits });
  };
  return (
    <Dialog opened onClose={onClose} title={labels[mode]}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {restart.error && (
            <Problem error={restart.error} title="The run could not be restarted" />
          )}
          <CreditsField
            value={text}
            onChange={setText}
            fault={max_credits === undefined ? 'A run that had a limit gets one again.' : undefined}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={restart.isPending} disabled={!isValid}>
              {labels[mode]}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
