/** What was done since the builder was opened, in words; a click goes back to there. */
import { NavLink } from '@mantine/core';
import { useEditor, useEditorState } from '../editor.ts';

export function History() {
  const editor = useEditor();
  const past = useEditorState((state) => state.past);
  const future = useEditorState((state) => state.future);
  const steps = [...past, ...future.toReversed()];
  return (
    <ol aria-label="History">
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place in the list
        <li key={at}>
          <NavLink
            component="button"
            label={step.words}
            active={at === past.length - 1}
            onClick={() => editor.goTo(at + 1)}
          />
        </li>
      ))}
    </ol>
  );
}
