/**
 * A log of any length: the lines in view are drawn, all others are a height. It follows what is
 * written, finds text, and opens at the line of the address or at the first error.
 */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Problem } from '../../../ui/await.tsx';
import classes from './log.module.css';
import type { LogClient } from './log-client.ts';
import { LogScroll } from './log-scroll.tsx';
import { LogTools } from './log-tools.tsx';
import { useFound } from './use-found.ts';

type Props = { log: LogClient; step: NodeRun; name: string };

export function LogViewer({ log, step, name }: Props) {
  const { line: addressed } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isRunning = step.status === 'running';
  const [isFollowing, setFollowing] = useState(isRunning && addressed === undefined);
  const [isWrapped, setWrapped] = useState(true);
  const [query, setQuery] = useState('');
  const [isFiltered, setFiltered] = useState(false);
  const found = useFound(log, query);
  const { lines, firstError } = log.state;
  /** Where to scroll to: a new object each time. */
  const [target, setTarget] = useState<{ line: number }>();
  const [hasOpened, setOpened] = useState(false);
  const shown = isFiltered && found ? found.numbers : undefined;

  useEffect(() => {
    if (hasOpened || lines === 0) return;
    const first = addressed === undefined ? openAt(step, firstError) : addressed - 1;
    if (first === undefined ? log.isRead : first < lines) {
      setOpened(true);
      if (first !== undefined) setTarget({ line: first });
    }
  }, [hasOpened, lines, addressed, firstError, log.isRead, step]);

  const go = useCallbackRef((line: number) => {
    setFollowing(false);
    setTarget({ line });
  });
  const mark = useCallbackRef((line: number) => {
    const search = (old: object) => ({ ...old, line: line + 1 }) as never;
    void navigate({ to: '.', search, replace: true, resetScroll: false });
  });
  if (log.error != null) return <Problem error={log.error} onRetry={() => log.read()} />;
  if (lines === 0) {
    const words = isRunning ? t`Nothing written yet.` : t`This step wrote nothing.`;
    return (
      <Text size="sm" c="var(--faint)">
        {log.isRead ? words : t`Reading the log …`}
      </Text>
    );
  }
  return (
    <div className={classes.viewer}>
      <LogTools
        {...{ log, name, query, found, isFiltered, isWrapped, isFollowing, isRunning }}
        onQuery={setQuery}
        onGo={go}
        onFilter={setFiltered}
        onWrap={setWrapped}
        onFollow={setFollowing}
      />
      <LogScroll
        {...{ log, shown, isWrapped, isFollowing, target, query }}
        marked={addressed === undefined ? undefined : addressed - 1}
        current={found?.numbers[found.at]}
        onMark={mark}
        onLeaveEnd={() => setFollowing(false)}
      />
    </div>
  );
}

const openAt = ({ status }: NodeRun, firstError: number | undefined) =>
  status === 'failure' ? firstError : undefined;
