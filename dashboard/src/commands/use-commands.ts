/** Declares what a part of the screen can do, for as long as it is shown. */
import { useEffect, useRef } from 'react';
import { type Command, commandsOfScreen, stepsOfScreen } from './registry.ts';

/** @param commands those that there are for this user and at this moment. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => commandsOfScreen.add(() => latest.current), []);
}

/** @param steps works them out only when somebody looks for one. */
export function useStepsToFind(steps: () => readonly Command[]): void {
  const latest = useRef(steps);
  useEffect(() => {
    latest.current = steps;
  });
  useEffect(() => stepsOfScreen.add(() => latest.current()), []);
}
