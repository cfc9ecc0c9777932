/** The log of a node run, read on while it grows. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { api } from '../api.ts';
import type { RunNews } from '../run-news.ts';
import { LogClient } from './log-client.ts';

const nothing = () => () => {};

/** Undefined until the thread of the log has started. */
export function useLog(
  run_id: number,
  { id, attempt, status }: NodeRun,
  news: RunNews,
): LogClient | undefined {
  const [log, setLog] = useState<LogClient>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt writes another log
  useEffect(() => {
    const opened = new LogClient(api, { run_id, node_run_id: id });
    opened.read();
    setLog(opened);
    const leave = news.subscribe(({ event, data }) => {
      const isOwn = event === 'log' && data.node_run_id === id;
      if (isOwn || event === 'reset') opened.read();
    });
    return () => {
      leave();
      opened.close();
    };
  }, [run_id, id, attempt, news]);
  // Its last lines come with its end.
  const known = useRef(status);
  useEffect(() => {
    if (known.current !== status) log?.read();
    known.current = status;
  }, [log, status]);
  useSyncExternalStore(log?.subscribe ?? nothing, () =>
    log ? `${log.state.bytes} ${log.isRead} ${log.error}` : '',
  );
  return log;
}
