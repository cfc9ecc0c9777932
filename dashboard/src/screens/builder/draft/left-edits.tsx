/** Edits that were never saved before their draft was published or archived. */
import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { asGraph } from '../../../contract-graph.ts';
import { wordsOf } from '../../../ui/await.tsx';
import { useNewVersion } from '../versions/new-version.ts';
import { KeptLine } from './draft-notices.tsx';
import { forget, type Kept } from './journal.ts';
import { mergeKept } from './kept-edits.ts';
import { leftOf } from './use-draft.ts';

type Props = { version: WorkflowVersion; etag: string; user: number };

export function LeftEdits({ version, etag, user }: Props) {
  const client = useQueryClient();
  const place = { user, version: version.id };
  const queryKey = ['left-edits', user, version.id];
  const { data: left = [] } = useQuery({ queryKey, queryFn: () => leftOf(place), gcTime: 0 });
  const { keepThis, isPending, error } = useNewVersion(version.workflow_id);
  const drop = async ({ tab }: Kept) => {
    await forget({ ...place, tab });
    await client.invalidateQueries({ queryKey });
  };
  const keep = (kept: Kept) => {
    const { graph } = mergeKept(kept, { graph: asGraph(version.graph), etag });
    keepThis({ graph, onMade: () => forget({ ...place, tab: kept.tab }) });
  };
  return (
    <>
      {left.map((kept) => (
        <KeptLine key={kept.tab} kept={kept} onDiscard={() => void drop(kept)}>
          <Button size="compact-sm" loading={isPending} onClick={() => keep(kept)}>
            <Trans>Keep them in a new draft</Trans>
          </Button>
        </KeptLine>
      ))}
      {error != null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" px="md">
          {wordsOf(error).message}
        </Text>
      )}
    </>
  );
}
