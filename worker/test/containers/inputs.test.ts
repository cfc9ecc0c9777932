import assert from 'node:assert/strict';
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCommand } from '../../src/containers/command.ts';
import {
  makePortFolders,
  makeWorkspace,
  placeInputs,
  removeWorkspace,
} from '../../src/containers/inputs.ts';
import { distinctNames, withSuffix } from '../../src/containers/names.ts';
import { measure, readProgress } from '../../src/containers/watch.ts';
import { forget } from './fixture.ts';

const top = await mkdtemp(join(tmpdir(), 'cogworks-inputs-'));
after(() => forget(top));

const input = (name: string, port = 'files') => ({ port, name, cardinality: 'many' as const });

describe('the places of inputs', () => {
  it('are numbered where names are equal, before the extension, in order', async () => {
    const workspace = await makeWorkspace(join(top, 'numbered'));

    const placed = placeInputs(workspace, [
      input('scan.pdf'),
      input('scan.pdf', 'other'),
      input('scan.pdf'),
      input('README'),
      input('scan (2).pdf'),
      input('README'),
    ]);

    assert.deepEqual(
      placed.map((file) => file.container_path),
      [
        '/data/inputs/files/scan.pdf',
        '/data/inputs/other/scan.pdf',
        '/data/inputs/files/scan (2).pdf',
        '/data/inputs/files/README',
        '/data/inputs/files/scan (2) (2).pdf',
        '/data/inputs/files/README (2)',
      ],
    );
    assert.equal(placed[0]?.host_path, join(workspace.inputs, 'files', 'scan.pdf'));
  });

  it('stay inside, whatever the names are', async () => {
    const workspace = await makeWorkspace(join(top, 'inside'));

    const placed = placeInputs(
      workspace,
      ['..', '../../etc/passwd', 'a\0b', ''].map((name) => input(name)),
    );

    for (const file of placed)
      assert.equal(join(file.host_path, '..'), join(workspace.inputs, 'files'));
    assert.throws(() => placeInputs(workspace, [input('a', '../x')]), {
      error_class: 'bad_params',
    });
  });

  it('never have names longer than a file system takes', () => {
    const long = `${'ä'.repeat(125)}.txt`;
    const [first = '', second = ''] = distinctNames([long, long]);

    assert.equal(first, long);
    assert.match(second, / \(2\)\.txt$/);
    assert.ok(Buffer.byteLength(second) <= 255);
    assert.equal(withSuffix('.profile', ' (2)'), '.profile (2)');
    assert.equal(withSuffix('a.tar.gz', ' (2)'), 'a.tar (2).gz');
  });
});

describe('a workspace', () => {
  it('is closed to other users, and open inside', async () => {
    const workspace = await makeWorkspace(join(top, 'rights'));
    await makePortFolders(workspace, ['files']);
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

    assert.equal(await mode(workspace.root), '700');
    assert.equal(await mode(workspace.params), '644');
    assert.equal(await mode(join(workspace.inputs, 'files')), '755');
  });

  it('is removed however deep a program nested its folders', async () => {
    const workspace = await makeWorkspace(join(top, 'deep'));
    const name = 'd'.repeat(200);
    await runCommand('sh', [
      '-c',
      `cd "$0" && for i in $(seq 40); do mkdir ${name} && cd -P ${name}; done`,
      workspace.outputs,
    ]);

    assert.match((await measure(workspace, 100)).fault ?? '', /too deeply/);
    await removeWorkspace(workspace);

    await assert.rejects(stat(workspace.root), { code: 'ENOENT' });
  });

  it('knows the newest progress among whatever the program wrote', async () => {
    const path = join(top, 'progress');
    const cases: [string, [number, number] | null][] = [
      ['', null],
      ['1/10\n', [1, 10]],
      ['1/10\n2/10\nhello\n', [2, 10]],
      ['11/10\n', [10, 10]],
      ['1/0\n', null],
      [`${'x'.repeat(5000)}\n 3 / 4 \n`, [3, 4]],
      ['99999999999999/1\n', null],
    ];
    for (const [text, expected] of cases) {
      await writeFile(path, text);
      assert.deepEqual(await readProgress(path), expected, text.slice(-20));
    }
  });
});
