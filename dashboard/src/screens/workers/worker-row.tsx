/** One worker: its name, how it stands, what it has in use, and what it runs. */
import type { Worker } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { formatCount } from '../../ui/format.ts';
import { RunLink } from '../../ui/run-link.tsx';
import { Status } from '../../ui/status.tsx';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import { sharesOf } from './capacity.ts';
import { WorkerMenu } from './worker-menu.tsx';
import classes from './workers.module.css';

type Props = { worker: Worker; maySteer: boolean };

export function WorkerRow({ worker, maySteer }: Props) {
  const { name, status, scope, labels, version, last_heartbeat_at } = worker;
  return (
    <li className={classes.worker}>
      <div className={classes.who}>
        <div className={classes.name}>
          <h2>{name}</h2>
          <Status status={status} />
        </div>
        <Text size="xs" c="var(--faint)" component="div" className={classes.facts}>
          {version && (
            <span>
              <Trans>Version {version}</Trans>
            </span>
          )}
          {status === 'offline' && (
            <span>
              {last_heartbeat_at ? (
                <Trans>
                  Last seen <When at={last_heartbeat_at} />
                </Trans>
              ) : (
                t`Never seen`
              )}
            </span>
          )}
          {scope === 'platform' && (
            <Tag>
              <Trans>Of the installation</Trans>
            </Tag>
          )}
          {labels.map((label) => (
            <Tag key={label}>{label}</Tag>
          ))}
        </Text>
      </div>
      <Shares worker={worker} />
      <Work worker={worker} />
      <div className={classes.menu}>{maySteer && <WorkerMenu worker={worker} />}</div>
    </li>
  );
}

const Shares = ({ worker }: { worker: Worker }) => (
  <dl className={classes.shares}>
    {sharesOf(worker).map(({ label, words, share }) => (
      <div key={label} className={classes.share}>
        <dt>{label}</dt>
        <dd>
          <span className={classes.track} aria-hidden>
            <span style={{ width: `${share * 100}%` }} />
          </span>
          {words}
        </dd>
      </div>
    ))}
  </dl>
);

/** More steps are counted. */
const mostShown = 4;

function Work({ worker: { status, work } }: { worker: Worker }) {
  if (work.length === 0) {
    const words = status === 'online' ? t`Runs nothing of yours now` : '';
    return <div className={classes.nothing}>{words}</div>;
  }
  const more = work.length - mostShown;
  return (
    <ul className={classes.work} aria-label={t`Runs now`}>
      {work.slice(0, mostShown).map(({ workflow_run_id, node_key, attempts, since }) => (
        <li key={`${workflow_run_id} ${node_key}`}>
          <RunLink id={workflow_run_id} /> <span className={classes.step}>{node_key}</span>
          {attempts > 1 && ` × ${formatCount(attempts)}`},{' '}
          <span className={classes.since}>
            <When at={since} />
          </span>
        </li>
      ))}
      {more > 0 && (
        <li>
          <Trans>and {more} more</Trans>
        </li>
      )}
    </ul>
  );
}
