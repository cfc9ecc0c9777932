/**
 * A log of any length: the lines in view are drawn, all others are a height. It follows what is
 * written, finds text, and opens at the line that is marked or at the first error.
 */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { Problem } from '../ui/await.tsx';
import classes from './log.module.css';
import type { LogClient } from './log-client.ts';
import { LogScroll } from './log-scroll.tsx';
import { LogTools } from './log-tools.tsx';
import { useFound } from './use-found.ts';

type Props = {
  log: LogClient;
  step: NodeRun;
  /** `part`: beside much else. */
  size?: 'page' | 'part';
  /** From 0. */
  marked?: number | undefined;
  /** Without it, lines cannot be marked. */
  onMark?: ((line: number) => void) | undefined;
};

export function LogViewer({ log, step, size = 'page', marked, onMark }: Props) {
  const isRunning = step.status === 'running';
  const [isFollowing, setFollowing] = useState(isRunning && marked === undefined);
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
    const first = marked ?? openAt(step, firstError);
    if (first === undefined ? log.isRead : first < lines) {
      setOpened(true);
      if (first !== undefined) setTarget({ line: first });
    }
  }, [hasOpened, lines, marked, firstError, log.isRead, step]);

  const go = useCallbackRef((line: number) => {
    setFollowing(false);
    setTarget({ line });
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
        {...{ log, query, found, isFiltered, isWrapped, isFollowing, isRunning }}
        name={nameOf(step)}
        onQuery={setQuery}
        onGo={go}
        onFilter={setFiltered}
        onWrap={setWrapped}
        onFollow={setFollowing}
      />
      <LogScroll
        {...{ log, size, shown, isWrapped, isFollowing, target, query, marked, onMark }}
        current={found?.numbers[found.at]}
        onLeaveEnd={() => setFollowing(false)}
      />
    </div>
  );
}

/** Of the file that it is saved as. */
const nameOf = ({ node_key, shard_index, attempt }: NodeRun) =>
  [node_key, shard_index === undefined ? '' : shard_index + 1, `try-${attempt}`]
    .filter((part) => part !== '')
    .join('-');

const openAt = ({ status }: NodeRun, firstError: number | undefined) =>
  status === 'failure' ? firstError : undefined;
