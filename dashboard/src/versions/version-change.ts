/** Changes the state of a version, and reads again what shows it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';

export function useVersionChange<Done>(change: (version_id: number) => Promise<Done>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    // A refusal too: what is shown was changed by somebody else.
    onSettled: () =>
      Promise.all(
        ['versions', 'workflow', 'workflows'].map((key) =>
          client.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
}
