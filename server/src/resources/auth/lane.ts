/**
 * A queue for work that keeps a thread busy. Hashing a password takes some 25 ms of one of the
 * process's four pool threads; without a limit, guesses would delay every file read.
 */

const longest = 40;

/**
 * @returns a function that runs work after all earlier work; undefined if too many wait already.
 */
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
