/** The workflows of the tenant, by their ids. */
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';

export const useWorkflows = () =>
  useQuery({
    queryKey: ['workflows'],
    queryFn: () => api.listWorkflows({ query: { limit: 1000 } }),
  });

export function useWorkflowNames(): (id: number) => string {
  const { data } = useWorkflows();
  return (id) => data?.find((one) => one.id === id)?.name ?? `Workflow ${id}`;
}
