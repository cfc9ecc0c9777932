/**
 * Lets pieces of work that are under way together go on at the same moment, so that what follows is
 * done for all of them at once.
 */
export type Party = {
  /** Resolves when every party has arrived or left, or after the longest wait. At once after `leave`. */
  arrive(): Promise<void>;
  /** The others no longer wait for it. */
  leave(): void;
  /** Resolves when it has left. */
  left: Promise<void>;
};

/** @param longest_ms how long the first one that arrives waits for the others at most. */
export function openBarrier(parties: number, longest_ms: number): Party[] {
  const open = Promise.withResolvers<void>();
  let expected = parties;
  let timer: NodeJS.Timeout | undefined;
  const count = () => {
    expected -= 1;
    if (expected > 0) return;
    clearTimeout(timer);
    open.resolve();
  };
  return Array.from({ length: parties }, () => {
    const left = Promise.withResolvers<void>();
    let state: 'expected' | 'arrived' | 'left' = 'expected';
    return {
      arrive: () => {
        if (state !== 'expected') return state === 'left' ? left.promise : open.promise;
        state = 'arrived';
        timer ??= setTimeout(open.resolve, longest_ms);
        count();
        return open.promise;
      },
      leave: () => {
        left.resolve();
        if (state !== 'expected') return;
        state = 'left';
        count();
      },
      left: left.promise,
    };
  });
}
