/** Garbage collection on demand. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all that nobody holds, and lets what follows from that happen. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // What a WeakRef has shown is held until the task ends.
  await setImmediate();
  collect();
  await setImmediate();
}
