/** Starts a test, and asks for a sample first where there is none. */
import { useState } from 'react';
import { isComplete } from '../../../run-inputs/sample.ts';
import { useEditor } from '../editor.ts';
import { useTester } from './testing.ts';

export function useStartTest() {
  const tester = useTester();
  const editor = useEditor();
  /** The step whose test waits for a sample. */
  const [asked, setAsked] = useState<string>();
  return {
    asked,
    close: () => setAsked(undefined),
    start: (key: string) => {
      if (!tester) return;
      const { graph } = editor.getState();
      const { sample } = tester.store.get();
      const { inputs, variables } = graph;
      if (!isComplete(sample, { needsFiles: inputs.length > 0, variables })) {
        setAsked(key);
        return;
      }
      setAsked(undefined);
      void tester.start(key, () => editor.getState().graph);
    },
  };
}
