/** The log of a node run, in its drawer. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { LogClient } from '../log/log-client.ts';
import { LogViewer } from '../log/log-viewer.tsx';
import classes from './cell.module.css';

export const CellLog = ({ step, log }: { step: NodeRun; log: LogClient | undefined }) => (
  <section className={classes.section} aria-label={t`What it wrote`}>
    <h3 className={classes.subtitle}>
      <Trans>Log</Trans>
    </h3>
    {log && <LogViewer log={log} step={step} name={nameOf(step)} />}
  </section>
);

const nameOf = ({ node_key, shard_index, attempt }: NodeRun) =>
  [node_key, shard_index === undefined ? '' : shard_index + 1, `try-${attempt}`]
    .filter((part) => part !== '')
    .join('-');
