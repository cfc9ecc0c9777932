/**
 * For tests: measures a function's work in executed blocks of our own code. Unlike a time, the
 * number does not depend on the machine's load. Work inside the runtime (a regular expression, a
 * sort) is not counted.
 */
import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Optimised code is not counted. The flag applies to the whole process, which is one test file.
for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug']) setFlagsFromString(flag);

const repository = pathToFileURL(`${import.meta.dirname}/../`).href;

/** Calls `work` twice, so that compiling and caching in the first call are not counted. */
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
