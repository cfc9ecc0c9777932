/** A value outside React, which components follow in parts. */
import { useSyncExternalStore } from 'react';

export type Store<Value> = {
  get(): Value;
  set(changes: Partial<Value>): void;
  subscribe(listener: () => void): () => void;
};

export function createStore<Value extends object>(start: Value): Store<Value> {
  const listeners = new Set<() => void>();
  let value = start;
  return {
    get: () => value,
    set(changes) {
      value = { ...value, ...changes };
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** @param pick returns the same object as long as nothing of it has changed. */
export function useStored<Value, Picked>(
  store: Store<Value>,
  pick: (value: Value) => Picked,
): Picked {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
