/** The graph as a drawing. */
import { useMemo } from 'react';
import { graphParts } from '../../../ui/graph-parts.ts';
import { GraphView } from '../../../ui/graph-view.tsx';
import { useEditor, useEditorState } from '../editor.ts';

export function Canvas() {
  const editor = useEditor();
  const graph = useEditorState((state) => state.graph);
  const chosen = useEditorState(({ selection }) => [...selection].at(-1)?.replace(/^node:/, ''));
  const { nodes, edges } = useMemo(() => graphParts(graph), [graph]);
  return (
    <GraphView
      label="Graph"
      nodes={nodes}
      edges={edges}
      chosen={chosen}
      onChoose={(key) => editor.select([key.startsWith('input:') ? key : `node:${key}`])}
    />
  );
}
