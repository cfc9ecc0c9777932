/** What is wrong with the graph. */
import { NavLink } from '@mantine/core';
import { useEditor, useEditorState } from '../editor.ts';

export function FaultsPanel() {
  const editor = useEditor();
  const faults = useEditorState((state) => state.faults);
  return faults.map((fault) => (
    <NavLink
      key={`${fault.pointer} ${fault.code} ${fault.message}`}
      component="button"
      label={fault.message}
      onClick={() => {
        if (fault.node_key) editor.select([`node:${fault.node_key}`]);
      }}
    />
  ));
}
