/** What is selected, and its settings. */
import { removeNodes, setNodeField } from '@cogworks/graph/edit/edits';
import { Button, Stack, TextInput } from '@mantine/core';
import classes from '../builder.module.css';
import { useEditor, useEditorState } from '../editor.ts';

export function Inspector() {
  const editor = useEditor();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const node = useEditorState(({ graph, selection }) =>
    graph.nodes.find(({ key }) => selection.has(`node:${key}`)),
  );
  if (!node) return null;
  const { key, title } = node;
  return (
    <Stack className={classes.panel}>
      <TextInput
        label="Title"
        value={title ?? ''}
        readOnly={isReadOnly}
        onChange={({ currentTarget: { value } }) =>
          editor.edit(
            `Title of ${key}`,
            (graph) => setNodeField(graph, key, 'title', value || undefined),
            { group: `title ${key}` },
          )
        }
      />
      {!isReadOnly && (
        <Button
          variant="default"
          onClick={() => {
            editor.edit(`Removed ${title || key}`, (graph) => removeNodes(graph, [key]));
            editor.select([]);
          }}
        >
          Remove
        </Button>
      )}
    </Stack>
  );
}
