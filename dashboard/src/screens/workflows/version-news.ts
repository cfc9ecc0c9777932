/** Keeps the screens of workflows up to date while others change them. */
import { followRuns } from '@cogworks/sdk/events';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from '../../api.ts';
import { useWatching } from '../../watching.ts';

/** Reads workflows and their versions again when a version changes; with an id, of that one alone. */
export function useVersionNews(workflowId?: number) {
  const client = useQueryClient();
  const watch = useCallback(
    async (signal: AbortSignal, onNews: () => void) => {
      for await (const { event, data } of followRuns(api, { signal })) {
        onNews();
        const isAbout =
          event === 'reset' ||
          (event === 'version' && (workflowId ?? data.workflow_id) === data.workflow_id);
        if (!isAbout) continue;
        for (const queryKey of [['workflows'], ['workflow', workflowId], ['versions', workflowId]])
          void client.invalidateQueries({ queryKey });
      }
    },
    [client, workflowId],
  );
  useWatching(watch);
}
