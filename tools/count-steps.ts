/**
 * For tests: how much work a function does, in blocks of our own code that it runs. The number is
 * the same on a busy machine and on an idle one, where a time is not. What the runtime does inside
 * (a regular expression, a sort) is not seen.
 */
import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Optimised code is not counted. The flag holds for the whole process, which is one test file.
for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug']) setFlagsFromString(flag);

const repository = pathToFileURL(`${import.meta.dirname}/../`).href;

/** Calls `work` twice: what a first call compiles and remembers is not counted. */
export async function countSteps(work: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    work();
    await session.post('Profiler.takePreciseCoverage');
    work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith(repository) && !url.includes('/node_modules/'))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  } finally {
    session.disconnect();
  }
}
