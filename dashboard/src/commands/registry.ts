/**
 * What the parts of the screen that is shown can do. Each part declares its commands once, for its
 * own buttons and for the palette, which reads them when it opens, and again when parts come or go.
 */
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';

export type Command = {
  /** Of two parts that declare the same command, the first is asked. */
  id: string;
  /** With dots at the end if a dialog follows. */
  label: string;
  /** Further words that find it, with spaces between. */
  words?: string | undefined;
  icon: ComponentType<IconProps>;
  /** The keys that give it, as in `aria-keyshortcuts`. */
  keys?: string | undefined;
  /** What it would do at this moment. */
  about?: string | undefined;
  /** Why it cannot be given at this moment. */
  reason?: string | undefined;
  /** Of a command that switches something on and off. */
  isPressed?: boolean;
  run: () => void;
};

type Source = () => readonly Command[];

export type Registry = {
  /** @returns what takes the source out again. */
  add(source: Source): () => void;
  /** As they are at this moment, in the order of the parts. */
  read(): Command[];
  /** Calls `onChange` when parts come and go. @returns what ends that. */
  subscribe(onChange: () => void): () => void;
  /** How often parts have come and gone. */
  changes(): number;
};

export function createRegistry(): Registry {
  const sources = new Set<Source>();
  const listeners = new Set<() => void>();
  let changes = 0;
  const changed = () => {
    changes += 1;
    for (const onChange of listeners) onChange();
  };
  return {
    add(source) {
      sources.add(source);
      changed();
      return () => {
        if (sources.delete(source)) changed();
      };
    },
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    changes: () => changes,
    read() {
      const commands = new Map<string, Command>();
      for (const command of [...sources].flatMap((source) => source())) {
        if (!commands.has(command.id)) commands.set(command.id, command);
      }
      return [...commands.values()];
    },
  };
}

export const commandsOfScreen = createRegistry();
/** The steps of the graph that is shown; each command leads to one. */
export const stepsOfScreen = createRegistry();

/** The same command as it is by now: what was read may have been overtaken since. */
export function giveCommand(registry: Registry, id: string): void {
  const command = registry.read().find((one) => one.id === id);
  if (command?.reason === undefined) command?.run();
}
