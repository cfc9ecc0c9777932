/** F8 leads to the next fault, Shift+F8 to the one before, around the end. */
import { useEffect, useRef } from 'react';
import { useEditor } from '../editor.ts';
import { placeOf } from './places.ts';
import { useShowField } from './show-field.ts';

export function useFaultKeys() {
  const editor = useEditor();
  const show = useShowField();
  const last = useRef(-1);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F8' || event.ctrlKey || event.altKey || event.metaKey) return;
      const { faults, graph } = editor.getState();
      if (faults.length === 0) return;
      event.preventDefault();
      const step = event.shiftKey ? -1 : 1;
      const start = last.current === -1 && step === -1 ? 0 : last.current;
      last.current = (start + step + faults.length) % faults.length;
      const fault = faults[last.current];
      if (fault) show(placeOf(fault, graph));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [editor, show]);
}
