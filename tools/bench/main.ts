/**
 * `npm run bench -- NAME`: measures the real server on a data folder of its own, which is removed
 * afterwards. Numbers depend on the machine and on what else it does; docs/benchmarks.md keeps some.
 */
import { hostile } from './hostile/hostile.ts';

const benchmarks: Record<string, (args: string[]) => Promise<void>> = { hostile };

const [name = '', ...args] = process.argv.slice(2);
const bench = benchmarks[name];
if (bench) await bench(args);
else {
  console.error(`Usage: npm run bench -- NAME. There is: ${Object.keys(benchmarks).join(', ')}.`);
  process.exitCode = 2;
}
