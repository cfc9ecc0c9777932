/** The log of a node run by itself, for pages that show little else of the run. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import type { RunNews } from '../run-news.ts';
import { LogViewer } from './log-viewer.tsx';
import { useLog } from './use-log.ts';

export type OpenedLogProps = { runId: number; step: NodeRun; news: RunNews };

export function OpenedLog({ runId, step, news }: OpenedLogProps) {
  const log = useLog(runId, step, news);
  return log ? <LogViewer log={log} step={step} size="part" /> : null;
}
