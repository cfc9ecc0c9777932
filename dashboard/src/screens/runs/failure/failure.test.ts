import { type ErrorClass, reportedErrorClasses } from '@cogworks/graph/error-classes';
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { otherInputs } from './changed-files.ts';
import { differences } from './differences.ts';
import { afterChange, explain } from './explain.ts';
import { chosenOf, earlierOf } from './last-success.ts';

const definition = {
  image: 'registry.example/tools:1',
  resources: { cpu: 1, memory_mb: 512, gpu: 0, disk_mb: 1024 },
  timeout_seconds: 90,
  outputs: [{ name: 'report', glob: '*', cardinality: 'one' as const }],
};
const failed = (error_class: string | undefined, exit_code?: number) => ({
  ...{ attempt: 1, outputs: [] },
  ...(error_class === undefined ? {} : { error_class }),
  ...(exit_code === undefined ? {} : { exit_code }),
});

describe('a failure', () => {
  const own: ErrorClass[] = ['lost_worker', 'poison', 'insufficient_credits'];
  it.each([...reportedErrorClasses, ...own])('of class %s has a sentence and a fix', (name) => {
    const { what, hint, fixes } = explain(failed(name, 1), definition, undefined);
    expect(what).toMatch(/^[A-Z].*\.$/);
    expect(hint).toMatch(/\.$/);
    expect(fixes.length).toBeGreaterThan(0);
    expect(what).not.toContain(name === 'timeout' || name === 'poison' ? '_' : name);
  });

  const byCode: [number | undefined, RegExp][] = [
    [1, /exit code 1/],
    [126, /could not be executed/],
    [127, /not found in the image/],
    [137, /want of memory/],
    [139, /crashed/],
    [143, /told to stop/],
    [undefined, /before its program started/],
  ];
  it.each(byCode)('with exit code %s says what that is', (code, words) =>
    expect(explain(failed('exit_nonzero', code), definition, undefined).what).toMatch(words),
  );

  it('raises a limit that was reached in the definition, which has it', () => {
    const reached = [failed('oom', 137), failed('exit_nonzero', 137), failed('timeout')];
    for (const step of [...reached, failed('disk_limit')])
      expect(explain(step, definition, undefined).fixes[0]).toBe('raise-limit');
  });

  it('says what the limits were', () => {
    expect(explain(failed('oom', 137), definition, undefined).what).toContain('512 MB');
    expect(explain(failed('timeout'), definition, undefined).what).toContain('1 min 30 s');
    expect(explain(failed('output_missing', 0), definition, undefined).what).toContain('report');
    expect(explain(failed('image_not_found'), definition, undefined).what).toContain('tools:1');
  });

  it('of one file among many that worked is the file’s: go on without it', () => {
    const { hint, fixes } = explain(failed('exit_nonzero', 1), definition, {
      success: 97,
      failure: 2,
    });
    expect(hint).toContain('97 other files');
    expect(fixes[0]).toBe('skip');
  });

  it('of all files is not', () => {
    const { fixes } = explain(failed('exit_nonzero', 1), definition, { success: 0, failure: 99 });
    expect(fixes).not.toContain('skip');
    expect(fixes[0]).toBe('retry');
  });

  it('of a file that has changed since is run with what it holds now', () => {
    const { hint, fixes } = afterChange(
      explain(failed('exit_nonzero', 1), definition, { success: 9, failure: 0 }),
    );
    expect(hint).toMatch(/^The file has changed since/);
    expect(fixes[0]).toBe('replaced');
    expect(fixes).not.toContain('replace');
  });

  it('of credentials is mended at the secrets first, whether refused or never stored', () => {
    const { what, fixes } = explain(failed('registry_auth'), undefined, undefined);
    expect(fixes[0]).toBe('secret');
    expect(what).toMatch(/missing, or were refused/);
  });

  it('of a secret that is gone does not blame the variables alone', () => {
    const { what, fixes } = explain(failed('bad_params'), undefined, undefined);
    expect(what).not.toMatch(/variables/);
    expect(fixes).toContain('secret');
  });
});

describe('what differs', () => {
  const now = {
    ...{ version_number: 3, node_definition_id: 1, image: 'a:1', worker_id: 1 },
    variables: { width: 280, language: 'en' },
  };
  it('since the last success is named, and nothing else', () => {
    expect(differences(now, now, undefined)).toEqual([]);
    const before = {
      ...now,
      version_number: 2,
      image: 'a:0',
      variables: { width: 640 },
      worker_id: 2,
    };
    expect(differences(now, before, undefined)).toEqual([
      'This is version 3; that was version 2.',
      'The image is a:1; it was a:0.',
      'width is 280; it was 640.',
      'language is “en”; it was not given.',
      'It ran on worker #1; then on #2.',
    ]);
  });

  it('of the file is its size or its name', () => {
    const of = (name: string, size_bytes: number, others: number[]) =>
      differences(now, undefined, { name, size_bytes, others });
    expect(of('a.txt', 0, [])).toEqual(['The file is empty.']);
    expect(of('a.txt', 9000, [1000, 2000])).toEqual([
      'The file is larger than any that worked: 9.0 KB, at most 2.0 KB.',
    ]);
    expect(of('scan', 1500, [1000, 2000])).toEqual(['The name of the file has no ending.']);
  });
});

describe('the other files of a run', () => {
  const inputs = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ id: at, cog_id: at, direction: 'input' as const, name: `${at}.txt` },
      ...{ size_bytes: 1, checksum_sha256: 'a', status: 'success' as const },
    }));
  const result = { ...inputs(1)[0], id: 99, cog_id: 99, direction: 'output' as const };

  it('are its inputs but for the one that failed', () => {
    const [first, second, third] = inputs(3);
    const run_files = [first, second, third, result] as ReturnType<typeof inputs>;
    expect(otherInputs({ run_files }, 1)).toEqual([first, third]);
  });
  it('are not asked for when they are many, or not all listed with the run', () => {
    expect(otherInputs({ run_files: inputs(21) }, 1)).toHaveLength(20);
    expect(otherInputs({ run_files: inputs(22) }, 1)).toBeUndefined();
    expect(
      otherInputs({ run_files: inputs(3), run_files_total: { input: 2000, output: 0 } }, 1),
    ).toBeUndefined();
  });
});

describe('the last success of a step', () => {
  it('may be of a run in which something else failed, and is of an earlier run', () => {
    const runs = [
      { id: 9, status: 'success' as const },
      { id: 8, status: 'failure' as const },
      { id: 7, status: 'partial_success' as const },
      { id: 6, status: 'success' as const },
    ];
    expect(earlierOf(runs, 9).map(({ id }) => id)).toEqual([7, 6]);
  });

  const step = (id: number, status: 'success' | 'failure', cached = false) =>
    ({ id, status, cached }) as NodeRun;
  it('is a lane that worked, and rather one that ran', () => {
    const failure = step(1, 'failure');
    expect(chosenOf([failure])).toBeUndefined();
    expect(chosenOf([failure, step(2, 'success', true), step(3, 'success')])?.id).toBe(3);
    expect(chosenOf([failure, step(2, 'success', true)])?.id).toBe(2);
  });
});
