/** The keys of the list of steps: arrows go, letters act on the step that has the focus. */
import { type KeyboardEvent, useCallback, useRef } from 'react';
import type { StepAction } from './step-action.ts';

const actions: Readonly<Record<string, StepAction['type']>> = {
  a: 'add',
  c: 'connect',
  d: 'duplicate',
  t: 'test',
  r: 'results',
  g: 'frames',
  Delete: 'delete',
  Backspace: 'delete',
  F2: 'settings',
};
/** Also where nothing may be changed. */
const harmless: typeof actions = { ' ': 'select', Escape: 'select-none', '?': 'keys' };

type Run = (key: string, action: StepAction) => void;

export function useListKeys(run: Run, isReadOnly: boolean) {
  const ref = useRef<HTMLOListElement>(null);
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      const step = (event.target as Element).closest<HTMLElement>('[data-step]');
      // Only of the step itself: its menu has keys of its own.
      if (!step || event.target !== step) return;
      const key = step.dataset.step ?? '';
      if (event.ctrlKey || event.metaKey) {
        if (event.key.toLowerCase() !== 'a') return;
        event.preventDefault();
        return run(key, { type: 'select-all' });
      }
      const steps = [...(ref.current?.querySelectorAll<HTMLElement>('[data-step]') ?? [])];
      const at = steps.indexOf(step);
      const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp';
      if (event.altKey) {
        if (!isArrow || isReadOnly) return;
        event.preventDefault();
        return run(key, { type: event.key === 'ArrowUp' ? 'up' : 'down' });
      }
      const goals: Record<string, HTMLElement | undefined> = {
        ArrowDown: steps[at + 1],
        ArrowUp: steps[at - 1],
        Home: steps[0],
        End: steps.at(-1),
      };
      if (event.key in goals) {
        event.preventDefault();
        goals[event.key]?.focus();
        return;
      }
      const changing = isReadOnly || event.shiftKey ? undefined : actions[event.key];
      const action = harmless[event.key] ?? changing;
      if (!action) return;
      event.preventDefault();
      run(key, { type: action } as StepAction);
    },
    [run, isReadOnly],
  );
  return { ref, onKeyDown };
}

/** Some browsers press a button as Space is let go, whatever became of the key before. */
export function onKeyUp(event: KeyboardEvent) {
  if (event.key === ' ' && (event.target as Element).matches('[data-step], [data-note]')) {
    event.preventDefault();
  }
}
