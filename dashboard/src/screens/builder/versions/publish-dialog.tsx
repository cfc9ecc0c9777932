/** What publishing changes, and the button that does it; faults come first. */
import { changesBetween } from '@cogworks/graph/edit/changes';
import type { Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { Await, LoadingRows, Problem } from '../../../ui/await.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { plural } from '../../../ui/format.ts';
import { useVersionChange } from '../../../versions/version-change.ts';
import { useSetAddress } from '../address.ts';
import { asGraph } from '../contract-graph.ts';
import { useSaver } from '../draft/draft-context.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { isHint } from '../faults/check.ts';
import { ChangeList } from './change-list.tsx';
import { whatChanged } from './compared.ts';
import { summary, useVersion } from './comparison.tsx';

type Props = { workflow: Workflow; version: WorkflowVersion; onClose: () => void };

export function PublishDialog({ workflow, version, onClose }: Props) {
  const count = useEditorState(({ faults }) => faults.filter((fault) => !isHint(fault)).length);
  return (
    <Dialog opened onClose={onClose} title={`Publish version ${version.version_number}`} size="lg">
      {count > 0 ? (
        <Faulty count={count} onClose={onClose} />
      ) : (
        <Review workflow={workflow} version={version} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Faulty({ count, onClose }: { count: number; onClose: () => void }) {
  const setAddress = useSetAddress();
  const show = () => {
    onClose();
    setAddress({ panel: 'faults' });
  };
  return (
    <>
      <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} role="alert">
        {plural(count, 'fault')} {count === 1 ? 'has' : 'have'} to be mended first. Until then this
        version cannot run.
      </Alert>
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={show} data-autofocus>
          Show {plural(count, 'fault')}
        </Button>
      </Group>
    </>
  );
}

/** Saves what there is, and reads it again: only what the service has can be published. */
function Review({ workflow, version, onClose }: Props) {
  const editor = useEditor();
  const saver = useSaver();
  const seen = useQuery({
    queryKey: ['to-publish', version.id],
    queryFn: async () => {
      if (saver && !(await saver.flush())) throw new Error('The draft could not be saved yet.');
      const draft = await api.getWorkflowVersion({ path: { version_id: version.id } });
      if (changesBetween(asGraph(draft.graph), editor.getState().graph).length > 0) {
        await saver?.pull();
        throw new Error('Somebody changed the draft at this moment. Look at it, and try again.');
      }
      return draft;
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Await query={seen} loading={<LoadingRows rows={3} />}>
      {(draft) => <Publishing workflow={workflow} draft={draft} onClose={onClose} />}
    </Await>
  );
}

function Publishing({
  workflow,
  draft,
  onClose,
}: {
  workflow: Workflow;
  draft: WorkflowVersion;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const { id, version_number, logic_hash } = draft;
  const publish = useVersionChange((version_id) =>
    api.publishWorkflowVersion({ path: { version_id }, body: { logic_hash } }),
  );
  const submit = () =>
    publish.mutate(id, {
      onSuccess: () => {
        notifications.show({ message: `Version ${version_number} is published.` });
        onClose();
        void client.invalidateQueries({ queryKey: ['opened-version', id] });
      },
    });
  return (
    <Stack gap="md">
      {publish.error && (
        <Problem error={publish.error} title="This version could not be published" />
      )}
      {workflow.published_version_id === undefined ? (
        <Text size="sm">
          It is the first one to be published: {plural(draft.graph.nodes.length, 'step')}.
        </Text>
      ) : (
        <Changes from={workflow.published_version_id} draft={draft} />
      )}
      <Text size="sm" c="var(--faint)">
        Triggers and new runs use it from then on; runs under way go on as they are. A published
        version never changes: further edits go into a new draft.
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={publish.isPending} onClick={submit} data-autofocus>
          Publish
        </Button>
      </Group>
    </Stack>
  );
}

function Changes({ from, draft }: { from: number; draft: WorkflowVersion }) {
  const definitions = useEditorState((state) => state.definitions);
  return (
    <Await query={useVersion(from)} loading={<LoadingRows rows={3} />}>
      {(published) => {
        const [before, after] = [asGraph(published.graph), asGraph(draft.graph)];
        const changes = changesBetween(before, after);
        const told = whatChanged(before, after, changes, definitions);
        return (
          <div>
            <Text size="sm" mb={6}>
              Against version {published.version_number}, which is published now: {summary(told)}
            </Text>
            <div style={{ maxHeight: '40vh', overflow: 'auto' }}>
              <ChangeList label="What changes" told={told} />
            </div>
          </div>
        );
      }}
    </Await>
  );
}
