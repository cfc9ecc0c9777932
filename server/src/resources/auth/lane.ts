/**
 * A line for work that keeps a thread busy. A hash of a password takes some 25 ms of one of the
 * process' four threads for such work; unbounded, guesses would hold up every file read.
 */

const longest = 40;

/** @returns does work after all that came before; undefined when too many wait already. */
export function makeLane(): <T>(work: () => Promise<T>) => Promise<T | undefined> {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (waiting >= longest) return undefined;
    waiting += 1;
    const done = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = done.catch(() => {});
    return done;
  };
}
