/** Starts a test, and asks for a sample first where there is none. */
import { useCallback } from 'react';
import { isComplete } from '../../../run-inputs/sample.ts';
import { useEditor } from '../editor.ts';
import { useTester } from './testing.ts';

export function useStartTest(): (key: string) => void {
  const tester = useTester();
  const editor = useEditor();
  return useCallback(
    (key) => {
      if (!tester) return;
      const { graph } = editor.getState();
      const { sample } = tester.store.get();
      const { inputs, variables } = graph;
      if (!isComplete(sample, { needsFiles: inputs.length > 0, variables })) {
        tester.store.set({ asked: key });
        return;
      }
      tester.store.set({ asked: undefined });
      void tester.start(key, () => editor.getState().graph);
    },
    [tester, editor],
  );
}
