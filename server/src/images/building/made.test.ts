import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { nameOf, recipes } from '../recipes/all.ts';
import { tagOf } from '../recipes/recipe.ts';
import { makeLayer } from './layer.ts';
import { readMade, withImage } from './made.ts';
import { call, requirePrograms } from './programs.ts';

const dir = await mkdtemp(join(tmpdir(), 'cogworks-images-'));
after(() => rm(dir, { recursive: true, force: true }));

const { signal } = new AbortController();

/** As on a machine without a network. */
const away = [
  ...[`Dir::State::lists=${dir}/lists`, 'Acquire::Retries=0'],
  ...['Acquire::http::Proxy=http://127.0.0.1:9', 'Acquire::https::Proxy=http://127.0.0.1:9'],
];

describe('making an image', () => {
  it('says in words that there is no network, and leaves nothing behind', async () => {
    const steps: string[] = [];
    const making = {
      dir: join(dir, 'work'),
      signal,
      apt: away,
      say: (step: string) => void steps.push(step),
    };

    const made = withImage(recipes.text, making, async () => assert.fail('nothing was made'));

    await assert.rejects(
      made,
      /^ImageProblem|Debian's packages could not be fetched: is there a network/,
    );
    assert.deepEqual(await readdir(making.dir), []);
    assert.deepEqual(steps, ['Looking for packages', 'Fetching the lists of packages']);
  });

  it('gives programs no secrets of the server, and the proxy', async (test) => {
    const of = {
      MASTER_KEY: 'k3y',
      DATABASE_URL: 'postgres://u:p@host/db',
      all_proxy: 'http://p:1',
    };
    Object.assign(process.env, of);
    test.after(() => {
      for (const name of Object.keys(of)) delete process.env[name];
    });

    const given = await call('env', [], signal);

    assert.match(given, /^PATH=.+$/m);
    assert.match(given, /^all_proxy=http:\/\/p:1$/m);
    assert.doesNotMatch(given, /MASTER_KEY|k3y|DATABASE_URL/);
  });

  it('shows no password of a source of packages', async () => {
    const source = 'http://reader:s3cret@127.0.0.1:9/debian';
    const list = join(dir, 'sources.list');
    await writeFile(list, `deb [trusted=yes] ${source} bookworm main\n`);
    const apt = [
      'Acquire::Retries=0',
      `Dir::Etc::sourcelist=${list}`,
      'Dir::Etc::sourceparts=/nowhere',
    ];
    const making = { dir: join(dir, 'work'), signal, apt, say: () => undefined };

    const made = withImage(recipes.text, making, async () => assert.fail('nothing was made'));

    const error: Error = await made.then(assert.fail, (reason) => reason);
    assert.match(error.message, /http:\/\/127\.0\.0\.1:9\/debian/);
    assert.doesNotMatch(error.message, /s3cret/);
    const failed = call('sh', ['-c', 'echo "E: $0" >&2; exit 1', source], signal);
    assert.doesNotMatch(inspect(await failed.then(assert.fail, (reason) => reason)), /s3cret/);
  });

  it('says how much of the packages is there', async () => {
    const folder = join(dir, 'slow');
    await mkdir(folder);
    const go = join(folder, 'go');
    const script = `#!/bin/sh
      for word; do case $word in Dir::Cache=*) cache=\${word#Dir::Cache=};; esac; done
      case "$*" in
        *--print-uris*) echo "'http://a/a_1_all.deb' a_1_all.deb 1000 SHA256:0";;
        *) head -c 500 /dev/zero > "$cache/archives/partial/a_1_all.deb"
           while [ ! -e ${go} ]; do sleep 0.05; done; exit 100;;
      esac\n`;
    await writeFile(join(folder, 'apt-get'), script, { mode: 0o755 });
    const path = process.env.PATH;
    process.env.PATH = `${folder}:${path}`;
    try {
      const half = 'Fetching 1 Debian packages, 0 MB: 50 %';
      // Half of it stays all there is until that has been said.
      const say = (step: string) => void (step === half && writeFileSync(go, ''));
      const making = { dir: join(dir, 'work'), signal, say };
      await assert.rejects(withImage(recipes.text, making, async () => assert.fail('made')));
      assert.ok(existsSync(go));
    } finally {
      process.env.PATH = path;
    }
  });

  it('takes packages that do not fit together for no lack of a network', async () => {
    const folder = join(dir, 'odd');
    await mkdir(folder);
    const words = 'E: Error, pkgProblemResolver::Resolve generated breaks.';
    await writeFile(join(folder, 'apt-get'), `#!/bin/sh\necho '${words}' >&2; exit 100\n`, {
      mode: 0o755,
    });
    const path = process.env.PATH;
    process.env.PATH = `${folder}:${path}`;
    try {
      const making = { dir: join(dir, 'work'), signal, say: () => undefined };
      const made = withImage(recipes.text, making, async () => assert.fail('nothing was made'));
      await assert.rejects(made, /apt could not fetch the packages/);
    } finally {
      process.env.PATH = path;
    }
  });

  it('says nothing of the programs of a machine when it is stopped', async () => {
    await assert.rejects(requirePrograms(AbortSignal.abort()), { name: 'AbortError' });
  });

  it('refuses a folder whose bytes are not those it says', async () => {
    const image = nameOf(recipes.text);
    const folder = join(dir, `${image.name}-${image.tag}`);
    await mkdir(folder);
    await writeFile(join(folder, 'layer.tar.gz'), 'other');
    await writeFile(
      join(folder, 'image.json'),
      JSON.stringify({ digest: `sha256:${'0'.repeat(64)}`, size_bytes: 5, diff_id: '' }),
    );

    await assert.rejects(readMade(dir, image), /is damaged: remove that folder/);
    assert.equal(await readMade(dir, nameOf(recipes.documents)), undefined);
  });

  it('refuses packages that lack a program which a link leads to', async () => {
    const recipe = { ...recipes.text, links: { 'usr/bin/convert': ['convert-im6.q16'] } };
    const work = { dir: join(dir, 'unlinked'), signal, say: () => undefined };

    await assert.rejects(
      makeLayer(recipe, [], work),
      /bring no \/usr\/bin\/convert-im6\.q16, which the image text needs/,
    );
  });

  it('leads a link to what the packages of this release of Debian call the program', async () => {
    const work = { dir: join(dir, 'linked'), signal, say: () => undefined };
    const files = join(work.dir, 'package');
    await mkdir(join(files, 'DEBIAN'), { recursive: true });
    await mkdir(join(files, 'usr/bin'), { recursive: true });
    const control =
      'Package: magick\nVersion: 7\nArchitecture: all\nMaintainer: x\nDescription: x\n';
    await writeFile(join(files, 'DEBIAN/control'), control);
    for (const program of ['convert-im7.q16', 'busybox']) {
      await writeFile(join(files, 'usr/bin', program), '#!/bin/sh\n', { mode: 0o755 });
    }
    const made = join(work.dir, 'magick_7_all.deb');
    await call('dpkg-deb', ['--root-owner-group', '--build', files, made], signal);
    const targets = ['convert-im6.q16', 'convert-im7.q16'];
    const recipe = { ...recipes.text, links: { 'usr/bin/convert': targets } };

    const { path } = await makeLayer(recipe, [made], work);

    const listed = await call('tar', ['-tvzf', path], signal);
    assert.match(listed, / \.\/usr\/bin\/convert -> convert-im7\.q16$/m);
  });

  it('gives another name to what is made otherwise, and not to other words about it', () => {
    const tag = tagOf(recipes.text);

    assert.equal(tagOf({ ...recipes.text, download_mb: 1 }), tag);
    assert.notEqual(tagOf({ ...recipes.text, packages: ['busybox-static'] }), tag);
  });
});
