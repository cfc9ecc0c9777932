/** The reports of the service, and their CSV. */
import type { OperationId } from '@cogworks/sdk/client';
import { operationPath, queryString } from '@cogworks/sdk/client';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { saveBlob } from '../../downloads.ts';
import { wordsOf } from '../../ui/await.tsx';
import { dateIn } from '../../ui/zones.ts';
import { queryOf } from './range.ts';
import type { ReportName, View } from './view.ts';

const operations = {
  overview: 'getOverviewReport',
  runs: 'getRunsReport',
  nodes: 'getNodesReport',
  workers: 'getWorkersReport',
  users: 'getUsersReport',
  storage: 'getStorageReport',
  credits: 'getCreditsReport',
} as const satisfies Record<ReportName, OperationId>;

export const useReport = (name: ReportName, view: View, timezone: string) =>
  useQuery({
    queryKey: ['analytics', name, view, timezone],
    queryFn: () => api[operations[name]]({ query: queryOf(view, timezone, new Date()) }),
    // While another range of the same report is loaded, what was there stays.
    placeholderData: (before, query) => (query?.queryKey[1] === name ? before : undefined),
    // Things happen while other screens are shown.
    refetchOnMount: 'always',
  });

export function useReportDownload(name: ReportName, view: View, timezone: string) {
  return useMutation({
    mutationFn: async () => {
      const query = queryOf(view, timezone, new Date());
      const path = operationPath(operations[name]) + queryString({ ...query, format: 'csv' });
      const answer = await api.send({ method: 'GET', path });
      const [first, last] = [query.from, query.to].map((at) => dateIn(new Date(at), timezone));
      saveBlob(await answer.blob(), `${name}_${first}_${last}.csv`);
    },
    onError: (error) =>
      notifications.show({
        color: 'red',
        title: t`The numbers were not downloaded`,
        message: wordsOf(error).message,
      }),
  });
}
