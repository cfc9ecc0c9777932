import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { countSteps } from '../../../tools/count-steps.ts';
import { runCommand } from '../../src/containers/command.ts';
import { compileGlob, expandBraces } from '../../src/containers/glob.ts';
import { collectOutputs, openOutput } from '../../src/containers/outputs.ts';
import type { DeclaredOutput } from '../../src/containers/types.ts';
import { forget } from './fixture.ts';

const top = await mkdtemp(join(tmpdir(), 'cogworks-outputs-'));
after(() => forget(top));

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(top, 'outputs-'));
});

const write = async (...names: string[]) => {
  for (const name of names) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), name);
  }
};

const collect = (glob: string, cardinality: DeclaredOutput['cardinality'] = 'many') =>
  collectOutputs(folder, [{ name: 'result', glob, cardinality }]);

const names = async (glob: string) => (await collect(glob)).map((file) => file.name);

describe('the outputs of a program', () => {
  it('are matched by port, sorted by path, with their size', async () => {
    await write('pages/b.png', 'pages/a.png', 'text.txt', 'pages/deep/c.png');

    const found = await collectOutputs(folder, [
      { name: 'text', glob: '*.txt', cardinality: 'one' },
      { name: 'pages', glob: 'pages/*.png', cardinality: 'many' },
      { name: 'log', glob: '*.log', cardinality: 'optional' },
    ]);

    assert.deepEqual(
      found.map(({ port, name, size }) => [port, name, size]),
      [
        ['text', 'text.txt', 8],
        ['pages', 'a.png', 11],
        ['pages', 'b.png', 11],
      ],
    );
  });

  it('fail when one is declared and there is none, or two', async () => {
    await assert.rejects(collect('*.pdf', 'one'), {
      error_class: 'output_missing',
      message: 'The program ended well but left no file for the output "result" (*.pdf).',
    });
    await write('a.pdf', 'b.pdf');
    await assert.rejects(collect('*.pdf', 'one'), { error_class: 'output_invalid' });
    await assert.rejects(collect('*.pdf', 'optional'), { error_class: 'output_invalid' });
    assert.equal((await collect('*.png', 'many')).length, 0);
  });

  it('never follow a link: to a file, to a folder, or in a circle', async () => {
    await symlink('/etc/passwd', join(folder, 'passwd.txt'));
    await symlink('/etc', join(folder, 'etc'));
    await symlink('.', join(folder, 'circle'));

    assert.deepEqual(await names('**'), []);
    await assert.rejects(collect('*.txt', 'one'), {
      error_class: 'output_missing',
      message: /symbolic link/,
    });
    await assert.rejects(openOutput({ path: join(folder, 'passwd.txt'), name: 'passwd.txt' }), {
      error_class: 'output_invalid',
    });
  });

  it('are plain files only', async () => {
    await runCommand('mkfifo', [join(folder, 'pipe')]);
    await mkdir(join(folder, 'folder'));

    assert.deepEqual(await names('*'), []);
    await assert.rejects(openOutput({ path: join(folder, 'pipe'), name: 'pipe' }), {
      error_class: 'output_invalid',
    });
  });

  it('may be two names for the same bytes', async () => {
    await write('a.txt');
    await link(join(folder, 'a.txt'), join(folder, 'b.txt'));

    assert.deepEqual(await names('*.txt'), ['a.txt', 'b.txt']);
  });

  it('keep their names, and say what they were where no cog can have them', async () => {
    await write('-rf', 'two\nlines', 'e\u0301.txt', `${'ü'.repeat(120)}.long.json`);
    await runCommand('sh', ['-c', `cd ${folder} && printf x > "$(printf 'bad-\\377-name')"`]);

    const found = await collect('*');

    assert.deepEqual(
      found.map(({ name, renamed_from }) => [name, renamed_from]),
      [
        ['-rf', undefined],
        ['bad-\ufffd-name', 'bad-\\xff-name'],
        ['é.txt', undefined],
        ['two_lines', 'two\\x0alines'],
        [`${'ü'.repeat(120)}.long.json`, undefined],
      ],
    );
    for (const file of found) {
      const opened = await openOutput(file);
      assert.equal((await opened.stat()).size, file.size);
      await opened.close();
    }
  });
});

describe('a glob', () => {
  const cases: [string, string, boolean][] = [
    ['*.png', 'a.png', true],
    ['*.png', 'x/a.png', false],
    ['**/*.png', 'a.png', true],
    ['**/*.png', 'x/y/a.png', true],
    ['x/**', 'x/y/z', true],
    ['x/**/z', 'x/z', true],
    ['x/**/z', 'y/z', false],
    ['**/x/**/y', 'a/x/b/x/y', true],
    ['page-?.txt', 'page-1.txt', true],
    ['page-?.txt', 'page-10.txt', false],
    ['page-[0-9][0-9].txt', 'page-10.txt', true],
    ['[!a]*', 'abc', false],
    ['[!a]*', 'bcd', true],
    ['*.{jpg,jpeg}', 'a.jpeg', true],
    ['{a,b/{c,d}}.txt', 'b/d.txt', true],
    ['./out.txt', 'out.txt', true],
    ['/out.txt', 'out.txt', true],
    ['*', '.hidden', false],
    ['.*', '.hidden', true],
    ['**', '.git/config', false],
    ['a*b*c', 'aXXbYYbZc', true],
    ['*', 'two\nlines', true],
    ['?.txt', '😀.txt', true],
    ['[', '[', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['', 'a', false],
  ];
  for (const [glob, path, expected] of cases) {
    it(`${JSON.stringify(glob)} ${expected ? 'takes' : 'leaves'} ${JSON.stringify(path)}`, () =>
      assert.equal(compileGlob(glob)(path), expected));
  }

  it('does not keep the worker busy, whatever it is', async () => {
    const globs: [glob: string, path: string][] = [
      [`${'*a'.repeat(100)}b`, 'a'.repeat(255)],
      [`${'**/'.repeat(60)}b`, 'a/'.repeat(60)],
      ['{a,b}'.repeat(1000), 'a'],
    ];
    for (const [glob, path] of globs) {
      const steps = await countSteps(() => compileGlob(glob)(path));
      assert.ok(steps < 1_000_000, `${steps} steps for ${glob.slice(0, 12)}`);
    }
    assert.ok(expandBraces('{a,b}'.repeat(40)).length <= 64);
  });
});
