/** The log of a node run, in its drawer. The address has the line that somebody pointed at. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useCallbackRef } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { LogClient } from '../../../log/log-client.ts';
import { LogViewer } from '../../../log/log-viewer.tsx';
import classes from './cell.module.css';

type Props = { step: NodeRun; log: LogClient | undefined };

export function CellLog({ step, log }: Props) {
  const { line } = useSearch({ strict: false });
  const navigate = useNavigate();
  const mark = useCallbackRef((marked: number) => {
    const search = (old: object) => ({ ...old, line: marked + 1 }) as never;
    void navigate({ to: '.', search, replace: true, resetScroll: false });
  });
  return (
    <section className={classes.section} aria-label={t`What it wrote`}>
      <h3 className={classes.subtitle}>
        <Trans>Log</Trans>
      </h3>
      {log && (
        <LogViewer
          log={log}
          step={step}
          marked={line === undefined ? undefined : line - 1}
          onMark={mark}
        />
      )}
    </section>
  );
}
