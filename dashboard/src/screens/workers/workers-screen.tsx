/** Settings › Workers: the machines that run containers, how they stand, and what they do now. */
import type { Me, Worker } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { IconServer2 } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { NewButton } from '../../commands/new-button.tsx';
import { useMe } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import { AddWorkerDialog } from './add-worker-dialog.tsx';
import { useWorkers } from './queries.ts';
import { WorkerRow } from './worker-row.tsx';
import classes from './workers.module.css';

export function WorkersScreen() {
  const { data: me } = useMe();
  const workers = useWorkers();
  const [isAdding, setAdding] = useState(false);
  const add = me?.role === 'admin' && (
    <NewButton id="add a worker" label={t`Add a worker`} onNew={() => setAdding(true)} />
  );
  return (
    <Screen
      title={t`Workers`}
      description={t`Machines that run the containers of your workflows.`}
      actions={add}
    >
      <Await query={workers}>
        {(rows) =>
          rows.length === 0 ? <NoWorkers action={add} /> : <Workers rows={rows} me={me} />
        }
      </Await>
      {isAdding && me && <AddWorkerDialog me={me} onClose={() => setAdding(false)} />}
    </Screen>
  );
}

/** The organization's own before those of the installation, and by name. */
function Workers({ rows, me }: { rows: readonly Worker[]; me: Me | undefined }) {
  const isIdle = rows.every(({ status }) => status !== 'online');
  return (
    <>
      {isIdle && (
        <Text size="sm" role="status" className={classes.idle}>
          <Trans>No worker takes work now. Runs wait until one is online.</Trans>
        </Text>
      )}
      <ul className={classes.workers}>
        {rows
          .toSorted((a, b) => b.scope.localeCompare(a.scope) || a.name.localeCompare(b.name))
          .map((worker) => (
            <WorkerRow key={worker.id} worker={worker} maySteer={maySteer(worker, me)} />
          ))}
      </ul>
    </>
  );
}

/** As the service decides it. */
const maySteer = ({ scope }: Worker, me: Me | undefined): boolean =>
  scope === 'platform' ? me?.is_platform_admin === true : me?.role === 'admin';

const NoWorkers = ({ action }: { action: ReactNode }) => (
  <Empty icon={<IconServer2 size={30} stroke={1.5} />} title={t`No workers yet`} action={action}>
    <Trans>
      A worker is any machine with Node and podman that reaches this server. Runs wait until there
      is one.
    </Trans>
  </Empty>
);
