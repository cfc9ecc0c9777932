/** Tasks for the tests of threads.ts. */
import { unprocessableFor } from '../src/errors.ts';
import { serve } from '../src/thread.ts';

export const examples = {
  double: ({ of }: { of: number[] }) => of.map((number) => number * 2),
  refuse: ({ faults }: { faults: number }) => {
    const one = { loc: ['body'], msg: 'No.', type: 'no' };
    throw unprocessableFor(Array.from({ length: faults }, () => one));
  },
  break: (_: null) => {
    throw new TypeError('broken');
  },
  spin: (_: null) => {
    for (let count = 0; ; count += 1) if (count < 0) return;
  },
  fill: (_: null) => {
    const filled: unknown[] = [];
    while (filled.length < 1e9) filled.push({ a: filled.length });
    return filled.length;
  },
};
serve(examples);
