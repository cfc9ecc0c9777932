/** The keys of the list of steps: arrows go, letters give commands to the step that has the focus. */
import { type KeyboardEvent, useCallback, useRef } from 'react';
import type { StepCommand } from './step-command.ts';

const commands: Readonly<Record<string, StepCommand['type']>> = {
  a: 'add',
  c: 'connect',
  d: 'duplicate',
  t: 'test',
  r: 'results',
  Delete: 'delete',
  Backspace: 'delete',
};

type Run = (key: string, command: StepCommand) => void;

export function useListKeys(run: Run, isReadOnly: boolean) {
  const ref = useRef<HTMLOListElement>(null);
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      const step = (event.target as Element).closest<HTMLElement>('[data-step]');
      // Only of the step itself: its menu has keys of its own.
      if (!step || event.target !== step || event.ctrlKey || event.metaKey) return;
      const key = step.dataset.step ?? '';
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
      const command = commands[event.key];
      if (!command || event.shiftKey || isReadOnly) return;
      event.preventDefault();
      run(key, { type: command } as StepCommand);
      // The step is gone; the one in its place has the focus.
      if (command === 'delete') focusStep((steps[at + 1] ?? steps[at - 1])?.dataset.step ?? '');
    },
    [run, isReadOnly],
  );
  return { ref, onKeyDown };
}

/** Once the list has been drawn with it. Without it the first has the focus. */
export function focusStep(key: string) {
  setTimeout(() => {
    const step = document.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`);
    (step ?? document.querySelector<HTMLElement>('[data-step]'))?.focus();
  });
}
