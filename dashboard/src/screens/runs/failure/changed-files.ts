/** Which other input files of a run hold something else now than what the run used. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { useQueries } from '@tanstack/react-query';
import { api } from '../../../api.ts';

type Listed = Pick<Run, 'run_files' | 'run_files_total'>;

/** Each is a request, and a person has 200 a minute. */
const most = 20;

/** @returns the other inputs; undefined if they are not all listed with the run, or too many to ask for. */
export function otherInputs({ run_files, run_files_total }: Listed, cogId: number) {
  if (run_files_total) return undefined;
  const others = run_files.filter((one) => one.direction === 'input' && one.cog_id !== cogId);
  return others.length > most ? undefined : others;
}

/** @returns the names of other files that have changed; undefined while that is not known of each. */
export function useOtherChanges(run: Run, cogId: number): string[] | undefined {
  const others = otherInputs(run, cogId);
  const found = useQueries({
    queries: (others ?? []).map(({ cog_id: id }) => ({
      queryKey: ['cog', id],
      queryFn: () => api.getCog({ path: { id } }),
      retry: false,
    })),
  });
  if (found.some(({ data }) => data === undefined)) return undefined;
  return others
    ?.filter((used, at) => used.checksum_sha256 !== found[at]?.data?.checksum_sha256)
    .map(({ name }) => name);
}
