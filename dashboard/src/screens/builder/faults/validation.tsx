/** Validates the graph a moment after each change, in a worker, and says how many faults there are. */
import { plural, t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { useEffect } from 'react';
import { useEditor, useEditorState } from '../editor.ts';
import { withoutHints } from './check.ts';
import { useFaultKeys } from './fault-keys.ts';
import { type Asker, watchFaults } from './watch.ts';

export function Validation() {
  const editor = useEditor();
  useEffect(() => watchFaults(editor, openWorker), [editor]);
  useFaultKeys();
  const count = useEditorState(({ faults }) => withoutHints(faults).length);
  const isChecked = useEditorState((state) => state.isChecked);
  return (
    <VisuallyHidden role="status">
      {count === 0
        ? isChecked && t`No faults`
        : plural(count, {
            one: '# fault. F8 leads to the next one.',
            other: '# faults. F8 leads to the next one.',
          })}
    </VisuallyHidden>
  );
}

function openWorker(
  ...[onAnswer, onFailure]: Parameters<Parameters<typeof watchFaults>[1]>
): Asker {
  const worker = new Worker(new URL('./validation-worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }) => onAnswer(data));
  worker.addEventListener('error', onFailure);
  return {
    ask: (question) => worker.postMessage(question),
    end: () => worker.terminate(),
  };
}
