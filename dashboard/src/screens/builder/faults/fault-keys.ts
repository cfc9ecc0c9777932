/** F8 leads to the next fault, Shift+F8 to the one before, around the end. */
import { t } from '@lingui/core/macro';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useCallback, useEffect, useRef } from 'react';
import { useCommands } from '../../../commands/use-commands.ts';
import { isBehindDialog } from '../../../ui/behind-dialog.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { nextFault } from './next-fault.ts';
import { placeOf } from './places.ts';
import { useShowField } from './show-field.ts';

export function useFaultKeys() {
  const editor = useEditor();
  const show = useShowField();
  const last = useRef<number>(undefined);
  const go = useCallback(
    (step: 1 | -1): boolean => {
      const { faults, graph } = editor.getState();
      const at = nextFault(last.current, step, faults.length);
      const fault = faults[at ?? -1];
      if (at === undefined || !fault) return false;
      last.current = at;
      show(placeOf(fault, graph));
      return true;
    },
    [editor, show],
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F8' || event.ctrlKey || event.altKey || event.metaKey) return;
      if (isBehindDialog()) return;
      if (go(event.shiftKey ? -1 : 1)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [go]);
  const hasFaults = useEditorState(({ faults }) => faults.length > 0);
  useCommands([
    {
      ...{ id: 'next fault', label: t`Go to the next fault`, icon: IconAlertTriangle, keys: 'F8' },
      words: t`find faults problems errors`,
      reason: hasFaults ? undefined : t`No faults`,
      run: () => void go(1),
    },
  ]);
}
