/** The builder: one version of a workflow, edited as a drawing or as a list. */
import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../api.ts';
import { useMe } from '../../people.ts';
import { Await, LoadingRows } from '../../ui/await.tsx';
import { BuilderFrame } from './builder-frame.tsx';
import { definitionsOf, useCatalogue } from './catalogue.ts';
import { asGraph } from './contract-graph.ts';
import { createEditor, EditorContext } from './editor.ts';

export function BuilderScreen() {
  const { versionId } = useParams({ strict: false });
  const id = Number(versionId);
  const opened = useQuery({
    queryKey: ['opened-version', id],
    queryFn: async () => {
      const { answer, headers } = await api.call('getWorkflowVersion', {
        path: { version_id: id },
      });
      return { version: answer, etag: headers.get('etag') ?? '' };
    },
    // An editor reads it once; what follows is its own, and what events tell.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Await query={opened} loading={<LoadingRows />}>
      {({ version, etag }) => <OpenedVersion key={version.id} version={version} etag={etag} />}
    </Await>
  );
}

type OpenedProps = { version: WorkflowVersion; etag: string };

function OpenedVersion({ version }: OpenedProps) {
  const { data: me } = useMe();
  const { data: catalogue } = useCatalogue();
  const workflow = useQuery({
    queryKey: ['workflow', version.workflow_id],
    queryFn: () => api.getWorkflow({ path: { id: version.workflow_id } }),
  });
  const mayChange = me?.role === 'admin' || (me && workflow.data?.created_by === me.id);
  const isReadOnly = version.state !== 'draft' || !mayChange;
  const [editor] = useState(() =>
    createEditor({ graph: asGraph(version.graph), definitions: new Map(), isReadOnly }),
  );
  useEffect(() => {
    if (catalogue) editor.setDefinitions(definitionsOf(catalogue));
  }, [editor, catalogue]);
  useEffect(() => editor.setReadOnly(isReadOnly), [editor, isReadOnly]);
  return (
    <EditorContext value={editor}>
      <BuilderFrame workflow={workflow.data} version={version} />
    </EditorContext>
  );
}
