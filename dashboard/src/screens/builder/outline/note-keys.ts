/** What can be done with a note in the list, and its keys. */
import type { KeyboardEvent } from 'react';
import type { Choosing } from './choosing.ts';

export type NoteAction = Choosing | 'open' | 'change' | 'copy' | 'keys';

const actions: Readonly<Record<string, NoteAction>> = {
  Delete: 'delete',
  Backspace: 'delete',
  F2: 'change',
};
/** Also where nothing may be changed. */
const harmless: typeof actions = { ' ': 'select', Escape: 'select-none', '?': 'keys' };

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Undefined for a key that means nothing here, or something else. */
export function noteActionOf(press: Press, isReadOnly: boolean): NoteAction | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'a' ? 'select-all' : undefined;
  if (altKey) return undefined;
  return harmless[key] ?? (isReadOnly || shiftKey ? undefined : actions[key]);
}
