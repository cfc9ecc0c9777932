import type { NodeRun, RunFile } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { compareRuns, type EndedRun } from './compare.ts';
import { difference, failureWords, outcomeOf } from './words.ts';

type Step = {
  /** Of files its name and content, as `out.txt=A`; else how it ended. */
  made?: string[];
  status?: NodeRun['status'];
  error?: string;
  /** The sample it was made of. */
  of?: number;
  lane?: number;
  port?: string;
};

const samples = ['a.png', 'b.png', 'c.png'];

/** A run over three samples, of steps whose files are all results unless their key is `inner`. */
function run(steps: [key: string, step: Step][], status: EndedRun['status'] = 'success'): EndedRun {
  const node_runs = steps.map(
    ([key, { made = [], status = 'success', error, of, lane, port = 'out' }], at) =>
      ({
        id: at,
        node_key: key,
        title: key.toUpperCase(),
        status,
        ...(error && { error_message: error }),
        ...(of !== undefined && { cog_id: of, shard_index: of }),
        ...(lane !== undefined && { shard_index: lane }),
        outputs: made.map((file) => {
          const [name = '', content = ''] = file.split('=');
          return { port, name, size_bytes: 10 * content.length, checksum_sha256: content };
        }),
      }) as unknown as NodeRun,
  );
  const outputs = node_runs
    .filter(({ node_key }) => node_key !== 'inner')
    .flatMap(({ node_key, outputs }) =>
      outputs.map((output, at) => ({ ...output, node_key, direction: 'output', cog_id: 100 + at })),
    );
  const inputs = samples.map((name, cog_id) => ({ name, cog_id, direction: 'input' }));
  return { id: 1, status, node_runs, run_files: [...inputs, ...outputs] as RunFile[] };
}

/** A step once for each sample, with these contents. */
const each = (key: string, ...contents: string[]): [string, Step][] =>
  contents.map((content, of) => [key, { made: [`out.txt=${content}`], of }]);

const said = (before: EndedRun, now: EndedRun) => outcomeOf(before, now, 3)?.words;
const told = (before: EndedRun, now: EndedRun) =>
  compareRuns(before, now).rows.map((row) =>
    [row.step, row.lane, row.before?.name, row.now?.name, difference(row)].join(' | '),
  );

describe('two runs over the same samples', () => {
  it.each<[string, EndedRun, EndedRun, string[]]>([
    [
      'that made the same',
      run(each('x', 'A', 'B', 'C')),
      run(each('x', 'A', 'B', 'C')),
      ['All 3 files are the same in both.'],
    ],
    [
      'that made one same file',
      run(each('x', 'A')),
      run(each('x', 'A')),
      ['The only file is the same in both.'],
    ],
    ['that made nothing', run([['x', {}]]), run([['x', {}]]), ['Neither run made a result.']],
    [
      'that differ in some files',
      run([...each('x', 'A', 'B', 'C'), ...each('y', 'D', 'E', 'F')]),
      run([...each('x', 'A', 'B', 'C'), ...each('y', 'D', 'e', 'f')]),
      ['2 of 6 files differ.'],
    ],
    [
      'of which one step was left out and one added',
      run([...each('x', 'A', 'B'), ...each('y', 'D')]),
      run([...each('x', 'A', 'b'), ...each('z', 'D', 'E')]),
      ['1 of 5 files differs.', '1 file is no longer made.', '2 files are new.'],
    ],
    [
      'that begin to differ in an earlier step',
      run([
        ['inner', { made: ['p=1'] }],
        ['x', { made: ['o=A'] }],
      ]),
      run([
        ['inner', { made: ['p=2'] }],
        ['x', { made: ['o=B'] }],
      ]),
      ['The only file differs.', 'The first step that gives something else is INNER.'],
    ],
    [
      'whose earlier step differs without consequence',
      run([
        ['inner', { made: ['p=1'] }],
        ['x', { made: ['o=A'] }],
      ]),
      run([
        ['inner', { made: ['p=2'] }],
        ['x', { made: ['o=A'] }],
      ]),
      ['The only file is the same in both.', 'The first step that gives something else is INNER.'],
    ],
    [
      'of which the second fails',
      run(each('x', 'A', 'B')),
      run(
        [...each('x', 'A'), ['x', { of: 1, status: 'failure', error: 'exit code 1' }]],
        'partial_success',
      ),
      [
        '1 step fails that did not fail in version 3.',
        '1 file is no longer made.',
        'The other file is the same in both.',
      ],
    ],
    [
      'that fail alike',
      run([['x', { status: 'failure' }]], 'failure'),
      run([['x', { status: 'failure' }]], 'failure'),
      ['Neither run made a result.', '1 step fails in both.'],
    ],
    [
      'of which only earlier steps made files',
      run([
        ['inner', { made: ['p=1'] }],
        ['x', { status: 'failure' }],
      ]),
      run([
        ['inner', { made: ['p=2'] }],
        ['x', { status: 'failure' }],
      ]),
      [
        'Neither run made a result.',
        'The first step that gives something else is INNER.',
        '1 step fails in both.',
      ],
    ],
    [
      'of which the first failed',
      run([['x', { status: 'failure' }]], 'failure'),
      run([['x', { made: ['o=A'] }]]),
      ['1 file is new.', '1 step no longer fails.'],
    ],
    [
      'of which the first was cancelled',
      run([], 'cancelled'),
      run([]),
      ['The run of version 3 was cancelled, so there is nothing to compare.'],
    ],
    [
      'of which the second was cancelled',
      run(each('x', 'A')),
      run([], 'cancelled'),
      ['The run of this draft was cancelled, so there is nothing to compare.'],
    ],
  ])('%s', (_, before, now, words) => {
    expect(said(before, now)).toEqual(words);
  });

  it('say nothing before both have ended', () => {
    expect(outcomeOf(run([]), undefined, 3)).toBeUndefined();
    expect(outcomeOf(undefined, undefined, 3)).toBeUndefined();
  });
});

describe('files correspond', () => {
  it('by the sample they were made of, and those that differ come first', () => {
    expect(told(run(each('x', 'A', 'B', 'C')), run(each('x', 'A', 'bb', 'c')))).toEqual([
      'X | b.png | out.txt | out.txt | differs, 10 B → 20 B',
      'X | c.png | out.txt | out.txt | differs, 10 B in both',
      'X | a.png | out.txt | out.txt | the same',
    ]);
  });

  it('in a lane that gives another name now', () => {
    const before = run([['x', { made: ['a.png=A'], of: 0 }]]);
    expect(told(before, run([['x', { made: ['a.jpg=B'], of: 0 }]]))).toEqual([
      'X | a.png | a.png | a.jpg | differs, 10 B in both',
    ]);
    expect(told(before, run([['x', { made: ['a.jpg=A'], of: 0 }]]))).toEqual([
      'X | a.png | a.png | a.jpg | has another name',
    ]);
  });

  it('by name where a step runs once that ran for each', () => {
    const before = run([
      ['x', { made: ['p1=A'], lane: 0 }],
      ['x', { made: ['p2=B'], lane: 1 }],
    ]);
    expect(told(before, run([['x', { made: ['p1=A', 'p2=C'] }]]))).toEqual([
      'X |  | p2 | p2 | differs, 10 B in both',
      'X |  | p1 | p1 | the same',
    ]);
  });

  it('of the same output only', () => {
    const port = (name: string) => run([['x', { made: ['o=A'], port: name }]]);
    expect(told(port('left'), port('right'))).toEqual([
      'X |  | o |  | no longer made',
      'X |  |  | o | new',
    ]);
  });

  it('of no more than one other', () => {
    const many = run([['x', { made: ['1=A', '2=B', '3=C'] }]]);
    expect(told(many, run([['x', { made: ['1=A', '3=C', '4=D', '5=E'] }]]))).toEqual([
      'X |  | 2 |  | no longer made',
      'X |  |  | 4 | new',
      'X |  |  | 5 | new',
      'X |  | 1 | 1 | the same',
      'X |  | 3 | 3 | the same',
    ]);
  });
});

it('failures are told with their sample and reason, new ones first', () => {
  const failed = (of: number): [string, Step] => [
    'x',
    { of, status: 'failure', error: `exit code ${of}` },
  ];
  const done = (of: number): [string, Step] => ['x', { of, made: ['o=A'] }];
  const { failures } = compareRuns(
    run([failed(0), done(1), failed(2)]),
    run([failed(0), failed(1), done(2), ['y', { status: 'failure' }]]),
  );
  expect(failures.map(failureWords)).toEqual([
    'X, b.png fails: exit code 1',
    'Y fails: it ended with an error',
    'X, a.png fails in both: exit code 0',
    'X, c.png no longer fails; before: exit code 2',
  ]);
});

it('files and failures are told apart where samples share their name', () => {
  const failed: [string, Step][] = [0, 1].map((of) => ['y', { of, status: 'failure' }]);
  const one = run([...each('x', 'A', 'B'), ...failed]);
  for (const file of one.run_files) if (file.direction === 'input') file.name = 'scan.pdf';
  const { rows, failures } = compareRuns(one, one);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  expect(new Set(failures.map(({ id }) => id)).size).toBe(2);
});

it('a result is found at once among many of the same content', () => {
  const lanes = Array.from({ length: 300 }, (_, of) => of);
  const one = run(lanes.map((of) => ['x', { made: [`${of}.txt=A`], of }]));
  let looks = 0;
  const counted = one.run_files.map(({ name, ...file }) => ({
    ...file,
    get name() {
      looks += 1;
      return name;
    },
  }));
  compareRuns({ ...one, run_files: counted as RunFile[] }, one);
  expect(looks).toBeLessThan(10 * lanes.length);
});

it('a result leads to its file, also where its name was taken in the folder', () => {
  const one = run([['x', { made: ['out.txt=A'], of: 0 }]]);
  for (const file of one.run_files) if (file.name === 'out.txt') file.name = 'out (2).txt';
  expect(compareRuns(one, one).rows[0]?.now?.cog_id).toBe(100);
});
