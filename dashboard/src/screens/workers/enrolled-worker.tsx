/** The command for the new worker's machine, and whether the worker has come. */
import type { EnrollmentToken, Worker } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { formatExactly } from '../../ui/format.ts';
import { TerminalText } from '../../ui/terminal-text.tsx';
import { enrolCommand, isOnlyHere } from './enrol-command.ts';
import { useArrival } from './queries.ts';
import classes from './workers.module.css';

type Props = {
  token: EnrollmentToken;
  name: string;
  onDone: () => void;
};

export function EnrolledWorker({ token, name, onDone }: Props) {
  const worker = useArrival(token);
  const command = enrolCommand({ url: location.origin, token: token.enrollment_token, name });
  return (
    <Stack gap="md">
      <Text size="sm">
        <Trans>
          Run this on the machine, in a copy of Cogworks. It needs Node and podman, and reaches this
          server by HTTP; nothing has to reach it.
        </Trans>
      </Text>
      <TerminalText label={t`Start the worker`}>{command}</TerminalText>
      {isOnlyHere(location.hostname) && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
          <Text size="sm">
            <Trans>
              {location.host} leads to this server only on its own machine. On another one put the
              server’s address there.
            </Trans>
          </Text>
        </Alert>
      )}
      <Arrival worker={worker} expires_at={token.expires_at} />
      <Group justify="flex-end">
        <Button variant={worker ? 'filled' : 'default'} onClick={onDone}>
          {worker ? t`Done` : t`Close`}
        </Button>
      </Group>
    </Stack>
  );
}

const isHere = ({ status }: Worker) => status === 'online' || status === 'draining';

function Arrival({ worker, expires_at }: { worker: Worker | undefined; expires_at: string }) {
  if (worker && isHere(worker)) {
    return (
      <div className={classes.arrival} data-here role="status">
        <IconCircleCheck size={22} stroke={1.8} aria-hidden />
        <span>
          <Trans>
            <b>{worker.name}</b> is connected and takes work.
          </Trans>
        </span>
      </div>
    );
  }
  return (
    <div className={classes.arrival} role="status">
      <Loader size={18} aria-hidden />
      <span>
        {worker ? (
          <Trans>
            <b>{worker.name}</b> is enrolled, and prepares its containers …
          </Trans>
        ) : (
          t`Waiting for the worker. The command can be used until ${formatExactly(expires_at)}.`
        )}
      </span>
    </div>
  );
}
