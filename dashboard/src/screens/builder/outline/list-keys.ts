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
      // The step is gone; the one in its place has the focus.
      if (action === 'delete') focusStep((steps[at + 1] ?? steps[at - 1])?.dataset.step ?? '');
    },
    [run, isReadOnly],
  );
  /** Some browsers press a button as Space is let go, whatever became of the key before. */
  const onKeyUp = useCallback((event: KeyboardEvent) => {
    if (event.key === ' ' && (event.target as Element).matches('[data-step]')) {
      event.preventDefault();
    }
  }, []);
  return { ref, onKeyDown, onKeyUp };
}

/** Once the list has been drawn with it. Without it the first has the focus. */
export function focusStep(key: string) {
  setTimeout(() => {
    const step = document.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`);
    (step ?? document.querySelector<HTMLElement>('[data-step]'))?.focus();
  });
}
