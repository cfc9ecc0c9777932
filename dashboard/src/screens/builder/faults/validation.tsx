/** Validates the graph a moment after each change. Shows nothing itself. */
import { validateGraph } from '@cogworks/graph/validate';
import { useEffect } from 'react';
import { useEditor, useEditorState } from '../editor.ts';

const rest_ms = 150;

export function Validation() {
  const editor = useEditor();
  const graph = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  useEffect(() => {
    if (definitions.size === 0 && graph.nodes.length > 0) return;
    const timer = setTimeout(
      () => editor.setFaults(validateGraph(graph, definitions).errors),
      rest_ms,
    );
    return () => clearTimeout(timer);
  }, [editor, graph, definitions]);
  return null;
}
