/** What publishing a draft changes, and the button that does it; faults come first. */
import { changesBetween } from '@cogworks/graph/edit/changes';
import type { Workflow, WorkflowVersion, WorkflowVersionSummary } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api.ts';
import { definitionsOf, useCatalogue } from '../catalogue.ts';
import { asGraph } from '../contract-graph.ts';
import { useMe } from '../people.ts';
import { Await, LoadingRows, Problem } from '../ui/await.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { focusWhenShown } from '../ui/focus-when-shown.ts';
import { versionQuery } from '../workflows.ts';
import { ChangeList } from './change-list.tsx';
import { type KeptSample, Proof } from './proof/proof.tsx';
import { summary, whatChanged } from './told.ts';
import { useVersionChange } from './version-change.ts';

type Props = {
  workflow: Workflow;
  version: Pick<WorkflowVersionSummary, 'id' | 'version_number'>;
  /** Reads the draft, for an editor that has to save it first. */
  read?: () => Promise<WorkflowVersion>;
  /** What an editor tests it with. */
  kept?: KeptSample | undefined;
  onShowFaults: () => void;
  onPublished?: () => void;
  onClose: () => void;
};

export function PublishDialog(props: Props) {
  const { version, read, onShowFaults, onClose } = props;
  const path = { version_id: version.id };
  const seen = useQuery({
    queryKey: ['to-publish', version.id],
    queryFn: async () => {
      const draft = await (read ? read() : api.getWorkflowVersion({ path }));
      const { errors } = await api.validateWorkflowVersion({ path });
      return { draft, faults: errors.length };
    },
    // It is looked at anew each time.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog opened onClose={onClose} title={t`Publish version ${version.version_number}`} size="lg">
      <Await query={seen} loading={<LoadingRows rows={3} />}>
        {({ draft, faults }) =>
          faults > 0 ? (
            <Faulty
              count={faults}
              onClose={onClose}
              onShow={() => {
                onClose();
                onShowFaults();
              }}
            />
          ) : (
            <Review {...props} draft={draft} />
          )
        }
      </Await>
    </Dialog>
  );
}

type FaultyProps = { count: number; onShow: () => void; onClose: () => void };

const Faulty = ({ count, onShow, onClose }: FaultyProps) => (
  <>
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} role="alert">
      <Plural
        value={count}
        one="# fault has to be mended first. Until then this version cannot run."
        other="# faults have to be mended first. Until then this version cannot run."
      />
    </Alert>
    <Group justify="flex-end" mt="lg" gap="sm">
      <Button variant="default" onClick={onClose}>
        <Trans>Cancel</Trans>
      </Button>
      <Button onClick={onShow} data-autofocus ref={focusWhenShown}>
        <Plural value={count} one="Show # fault" other="Show # faults" />
      </Button>
    </Group>
  </>
);

type ReviewProps = Props & { draft: WorkflowVersion };

/** Publishes only what is shown, and only in the place of what it is compared with. */
function usePublication(workflow: Workflow, { logic_hash }: WorkflowVersion) {
  const [published, setPublished] = useState(workflow.published_version_id);
  const seen = { logic_hash, published_version_id: published ?? null };
  const publish = useVersionChange((version_id) =>
    api.publishWorkflowVersion({ path: { version_id }, body: seen }),
  );
  const [refusal, setRefusal] = useState<Error | null>(null);
  if (publish.error && publish.error !== refusal) {
    // What somebody else published meanwhile is shown before it is replaced.
    setRefusal(publish.error);
    setPublished(workflow.published_version_id);
  }
  const before = useQuery({
    ...versionQuery(published ?? 0),
    enabled: published !== undefined,
    // What is cached may be of the time when it was a draft, with another graph.
    staleTime: 0,
  });
  const isShown = published === undefined || (before.isSuccess && before.data.state !== 'draft');
  return { publish, isFirst: published === undefined, before, isShown };
}

function Review({ workflow, draft, kept, onPublished, onClose }: ReviewProps) {
  const { id, version_number } = draft;
  const { publish, isFirst, before, isShown } = usePublication(workflow, draft);
  const other = before.data?.version_number ?? 0;
  const submit = () => {
    if (!isShown) return;
    publish.mutate(id, {
      onSuccess: () => {
        notifications.show({ message: t`Version ${version_number} is published.` });
        onClose();
        onPublished?.();
      },
    });
  };
  return (
    <Stack gap="md">
      {publish.error && (
        <Problem error={publish.error} title={t`This version could not be published`} />
      )}
      {isFirst ? (
        <Text size="sm">
          <Plural
            value={draft.graph.nodes.length}
            one="It is the first one to be published: # step."
            other="It is the first one to be published: # steps."
          />
        </Text>
      ) : (
        <Against published={before} draft={draft} kept={kept} />
      )}
      <Text size="sm" c="var(--faint)">
        {other > version_number ? (
          <Trans>Triggers and new runs go on with version {other}, which is newer.</Trans>
        ) : (
          <Trans>
            Triggers and new runs use it from then on; runs under way go on as they are.
          </Trans>
        )}{' '}
        <Trans>A published version never changes: further edits go into a new draft.</Trans>
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          loading={publish.isPending}
          onClick={submit}
          {...(isShown ? {} : { 'data-disabled': true, 'aria-disabled': true })}
          data-autofocus
          ref={focusWhenShown}
        >
          <Trans>Publish</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

type AgainstProps = {
  published: UseQueryResult<WorkflowVersion>;
  draft: WorkflowVersion;
  kept: KeptSample | undefined;
};

function Against({ published, draft, kept }: AgainstProps) {
  const me = useMe().data;
  return (
    <Await query={published} loading={<LoadingRows rows={3} />}>
      {(before) => (
        <>
          <Changes before={before} draft={draft} />
          {before.logic_hash === draft.logic_hash ? (
            <Text size="sm">
              <Trans>
                Both do the same, so the results cannot differ by it: there is nothing to compare.
              </Trans>
            </Text>
          ) : (
            me && <Proof key={before.id} userId={me.id} before={before} now={draft} kept={kept} />
          )}
        </>
      )}
    </Await>
  );
}

function Changes({ before, draft }: { before: WorkflowVersion; draft: WorkflowVersion }) {
  const catalogue = useCatalogue();
  const { version_number } = before;
  const [was, is] = [asGraph(before.graph), asGraph(draft.graph)];
  const definitions = definitionsOf(catalogue.data ?? []);
  const told = whatChanged(was, is, changesBetween(was, is), definitions);
  return (
    <div>
      <Text size="sm" mb={6}>
        <Trans>Against version {version_number}, which is published now:</Trans> {summary(told)}
      </Text>
      <div style={{ maxHeight: '40vh', overflow: 'auto' }}>
        <ChangeList label={t`What changes`} told={told} />
      </div>
    </div>
  );
}
