/** The builder: one version of a workflow, edited as a drawing or as a list. */
import type { Me, Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../api.ts';
import { definitionsOf, useCatalogue } from '../../catalogue.ts';
import { asGraph } from '../../contract-graph.ts';
import { useMe } from '../../people.ts';
import { LoadingRows, Problem } from '../../ui/await.tsx';
import { Screen } from '../../ui/screen.tsx';
import { useWorkflow } from '../../workflows.ts';
import { BuilderFrame } from './builder-frame.tsx';
import { DraftContext } from './draft/draft-context.ts';
import { DraftNotices } from './draft/draft-notices.tsx';
import { LeftEdits } from './draft/left-edits.tsx';
import { useDraft } from './draft/use-draft.ts';
import { createEditor, EditorContext } from './editor.ts';
import { TestingFrame } from './test/testing-frame.tsx';
import { ReadOnlyLine } from './versions/read-only-line.tsx';

export function BuilderScreen() {
  const { workflowId, versionId } = useParams({ strict: false });
  const id = Number(versionId);
  const { data: me } = useMe();
  const workflow = useWorkflow(Number(workflowId));
  const opened = useQuery({
    queryKey: ['opened-version', id],
    queryFn: () => openVersion(id),
    // An editor reads it once; what follows is its own, and what events tell.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const problem = opened.error ?? workflow.error;
  if (opened.data && workflow.data && me) {
    const { version, etag } = opened.data;
    // An address that somebody put together by hand.
    if (version.workflow_id !== workflow.data.id) return <OwnAddress version={version} />;
    return (
      <OpenedVersion
        key={`${version.id} ${version.state}`}
        version={version}
        etag={etag}
        workflow={workflow.data}
        me={me}
      />
    );
  }
  const retry = () => Promise.all([opened.refetch(), workflow.refetch()]);
  return (
    <Screen
      title={t`Workflow`}
      lead={
        <Anchor component={Link} to="/workflows" size="sm" c="var(--faint)">
          <Trans>Workflows</Trans>
        </Anchor>
      }
    >
      {problem == null ? <LoadingRows /> : <Problem error={problem} onRetry={retry} />}
    </Screen>
  );
}

const OwnAddress = ({ version }: { version: WorkflowVersion }) => (
  <Navigate
    to="/workflows/$workflowId/versions/$versionId"
    params={{ workflowId: String(version.workflow_id), versionId: String(version.id) }}
    replace
  />
);

async function openVersion(version_id: number) {
  const { answer, headers } = await api.call('getWorkflowVersion', { path: { version_id } });
  return { version: answer, etag: headers.get('etag') ?? '' };
}

type OpenedProps = { version: WorkflowVersion; etag: string; workflow: Workflow; me: Me };

function OpenedVersion({ version, etag, workflow, me }: OpenedProps) {
  const { data: catalogue } = useCatalogue();
  const mayChange = me.role === 'admin' || workflow.created_by === me.id;
  const isReadOnly = version.state !== 'draft' || !mayChange;
  const [base] = useState(() => ({ graph: asGraph(version.graph), etag }));
  const [editor] = useState(() =>
    createEditor({ graph: base.graph, definitions: new Map(), isReadOnly }),
  );
  useEffect(() => {
    if (catalogue) editor.setDefinitions(definitionsOf(catalogue));
  }, [editor, catalogue]);
  const draft = useDraft(
    editor,
    isReadOnly ? undefined : { version: version.id, base, user: me.id },
  );
  // What is edited before there is a journal would be lost with the tab.
  if (!isReadOnly && !draft) {
    return (
      <Screen title={workflow.name}>
        <LoadingRows />
      </Screen>
    );
  }
  return (
    <EditorContext value={editor}>
      <DraftContext value={draft?.saver ?? null}>
        <TestingFrame version={version} user={me.id}>
          <BuilderFrame
            workflow={workflow}
            version={version}
            mayChange={mayChange}
            notices={
              draft ? (
                <DraftNotices draft={draft} workflowId={workflow.id} />
              ) : (
                <>
                  <ReadOnlyLine workflow={workflow} version={version} mayChange={mayChange} />
                  {mayChange && <LeftEdits version={version} etag={etag} user={me.id} />}
                </>
              )
            }
          />
        </TestingFrame>
      </DraftContext>
    </EditorContext>
  );
}
