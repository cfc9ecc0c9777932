/** What the actions of a row of the list do. */
import type { EdgeSource, PortOfNode } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { copySelected, type Telling } from '../copying/use-copying.ts';
import { type Editor, useEditor } from '../editor.ts';
import { duplicated, movedInOrder } from '../edits/step-edits.ts';
import { useOpenSettings, useShowField } from '../faults/show-field.ts';
import { nodeId } from '../selection.ts';
import { useStartTest } from '../test/use-start-test.ts';
import { type Choosing, choose } from './choosing.ts';
import { useOpenResults } from './outline-results.tsx';
import { focusStep } from './row-focus.ts';
import type { StepAction } from './step-action.ts';

/** What the list asks in a dialog. */
export type Opened =
  | { dialog: 'add'; after: { node: string } | { input: string } | undefined }
  | { dialog: 'from'; from: EdgeSource }
  | { dialog: 'to'; to: PortOfNode }
  | { dialog: 'note'; id: string }
  | { dialog: 'frames'; key: string }
  | { dialog: 'paste' | 'keys' }
  | { dialog: 'remarks'; title: string; remarks: readonly string[] };

export function useStepActions(open: (opened: Opened) => void, telling: Telling) {
  const editor = useEditor();
  const openSettings = useOpenSettings();
  const show = useShowField();
  const startTest = useStartTest();
  const openResults = useOpenResults();
  return useMemo(
    () => (key: string, action: StepAction) => {
      const { graph, definitions } = editor.getState();
      const node = graph.nodes.find((one) => one.key === key);
      if (!node) return;
      switch (action.type) {
        case 'open':
          editor.select([nodeId(key)]);
          return openSettings();
        case 'settings':
          return show({ id: nodeId(key), field: '/title' });
        case 'add':
          return open({ dialog: 'add', after: { node: key } });
        case 'connect': {
          const [output] = definitions.get(node.node_definition_id)?.outputs ?? [];
          if (output) open({ dialog: 'from', from: { node: key, port: output.name } });
          return;
        }
        case 'frames':
          return open({ dialog: 'frames', key });
        case 'keys':
          return open({ dialog: 'keys' });
        case 'test':
          return startTest(key);
        case 'results':
          return openResults(key);
        case 'connect-from':
          return open({ dialog: 'from', from: action.from });
        case 'connect-to':
          return open({ dialog: 'to', to: action.to });
        case 'copy':
          editor.select([nodeId(key)]);
          return void copySelected(editor, telling);
        default:
          return change(editor, key, node.title || key, action.type);
      }
    },
    [editor, openSettings, show, open, startTest, openResults, telling],
  );
}

/** What needs nothing but the graph. */
function change(
  editor: Editor,
  key: string,
  name: string,
  type: Choosing | 'duplicate' | 'up' | 'down',
): void {
  switch (type) {
    case 'duplicate': {
      const copy = duplicated(editor.getState().graph, key);
      editor.edit(t`Duplicated ${name}`, () => copy.graph);
      focusStep(copy.key);
      break;
    }
    case 'up':
    case 'down':
      editor.edit(type === 'up' ? t`Moved ${name} up` : t`Moved ${name} down`, (now) =>
        movedInOrder(now, key, type === 'up' ? -1 : 1),
      );
      focusStep(key);
      break;
    default:
      choose(editor, nodeId(key), type);
  }
}
