/** The graph as a list, in the order in which its nodes run. */
import { topologicalOrder } from '@cogworks/graph/order';
import { UnstyledButton } from '@mantine/core';
import { useMemo } from 'react';
import classes from '../builder.module.css';
import { useEditor, useEditorState } from '../editor.ts';

export function Outline() {
  const editor = useEditor();
  const graph = useEditorState((state) => state.graph);
  const selection = useEditorState((state) => state.selection);
  const keys = useMemo(() => topologicalOrder(graph), [graph]);
  const titles = new Map(graph.nodes.map(({ key, title }) => [key, title || key]));
  return (
    <ol className={classes.panel} aria-label="Nodes">
      {keys.map((key) => (
        <li key={key}>
          <UnstyledButton
            aria-pressed={selection.has(`node:${key}`)}
            onClick={() => editor.select([`node:${key}`])}
          >
            {titles.get(key)}
          </UnstyledButton>
        </li>
      ))}
    </ol>
  );
}
