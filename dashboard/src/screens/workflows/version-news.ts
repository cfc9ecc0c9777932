/** Keeps the screens of workflows up to date while others change them. */
import type { RunsEvent } from '@cogworks/sdk/run-events';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTenantNews } from '../../tenant-news.ts';

/** Reads workflows and their versions again when a version changes; with an id, of that one alone. */
export function useVersionNews(workflowId?: number) {
  const client = useQueryClient();
  const isAbout = useCallback(
    ({ event, data }: RunsEvent) =>
      event === 'version' && (workflowId ?? data.workflow_id) === data.workflow_id,
    [workflowId],
  );
  const readAgain = useCallback(() => {
    for (const queryKey of [['workflows'], ['workflow', workflowId], ['versions', workflowId]])
      void client.invalidateQueries({ queryKey });
  }, [client, workflowId]);
  useTenantNews(isAbout, readAgain);
}
