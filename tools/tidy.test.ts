/**
 * The house rules as a test: who may import whom, how long a file may get, where a thing may be
 * read. An exemption is a line here, with its reason.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs|sql|md)$/.test(file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const code = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.gen.ts'));
const isTest = (file: string) => /\.test\.tsx?$/.test(file) || /(^|\/)(test|e2e)\//.test(file);
const server = code.filter((file) => file.startsWith('server/src/') && !isTest(file));

type Import = { file: string; from: string; typesOnly: boolean };
const importPattern =
  /^(import|export)(\s+type)?\s[^;'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm;

/** Every import of a file; a relative one as the path from the root. */
function importsOf(file: string): Import[] {
  return [...read(file).matchAll(importPattern)].map(([, , type, from = '', bare = '']) => {
    const target = from || bare;
    const path = target.startsWith('.') ? normalize(join(dirname(file), target)) : target;
    return { file, from: path, typesOnly: type !== undefined };
  });
}

/** A slice is a folder of resources/ with all below it, or the engine. */
const sliceOf = (file: string) => file.match(/^server\/src\/(resources\/[^/]+|[^/]+)/)?.[0] ?? file;

const tell = (imports: Import[]) => imports.map(({ file, from }) => `${file} imports ${from}`);

/** What runs for long, or starts what does. */
const programs = [...code, ...files.filter((file) => file.endsWith('.mjs'))].filter(
  (file) => /^(server|worker|tools|cli)\//.test(file) && !isTest(file),
);

/** Starts children without listening to `error`, with the reason. */
const mayBeDeaf: Record<string, string> = {
  'server/src/db/embedded.ts': 'supervisor.ts listens',
};

/** Longer than 400 lines (500 for tests), with the reason. */
const mayBeLong: Record<string, string> = {};

describe('the house', () => {
  it('has no file that nobody can keep in mind', () => {
    const long = code.filter((file) => {
      const lines = read(file).split('\n').length - 1;
      return lines > (isTest(file) ? 500 : 400) && !(file in mayBeLong);
    });
    assert.deepEqual(long, []);
  });

  it('has no drawer for things without a name', () => {
    const drawers = code.filter((file) =>
      /^(utils?|helpers?|common|misc|index)\.tsx?$/.test(basename(file)),
    );
    assert.deepEqual(drawers, []);
  });

  it('reads the environment in one place of the server', () => {
    const readers = server.filter((file) => read(file).includes('process.env'));
    // A child process gets our environment handed on; that is no reading of settings.
    assert.deepEqual(readers, ['server/src/config.ts', 'server/src/roles/local-worker.ts']);
  });

  it('has no child process whose failure to start would end ours', () => {
    const listens = /\.(on|once)\('error'|\bonce\((child|server|worker), 'exit'\)/g;
    const deaf = programs.filter(
      (file) =>
        [...read(file).matchAll(/\bspawn\(/g)].length > [...read(file).matchAll(listens)].length &&
        !(file in mayBeDeaf),
    );
    assert.deepEqual(deaf, []);
  });

  it('writes no stream that nobody hears fail: a full disk, a reader that is gone', () => {
    const deaf = programs.filter((file) =>
      read(file)
        .split('\n')
        // Inside a pipeline the failure is the pipeline's.
        .some((line) => /createWriteStream\(|\.pipe\(/.test(line) && !/^ +createWrite/.test(line)),
    );
    assert.deepEqual(deaf, []);
  });

  it('lets npm reach what it starts: the shell in between would keep signals to itself', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const kept = Object.entries(scripts).filter(([, command]) => !command.startsWith('exec '));
    assert.deepEqual(kept, []);
  });

  it('starts every migration with what it is for', () => {
    const silent = files.filter(
      (file) => file.startsWith('migrations/') && !read(file).startsWith('-- '),
    );
    assert.deepEqual(silent, []);
  });

  it('opens every module of the server with what it is for, but lists of routes', () => {
    const silent = server.filter(
      (file) => !/routes\.ts$/.test(file) && !read(file).startsWith('/**'),
    );
    assert.deepEqual(silent, []);
  });
});

describe('imports', () => {
  it('of routes are for app.ts alone', () => {
    const wrong = server
      .filter((file) => file !== 'server/src/app.ts')
      .flatMap(importsOf)
      .filter(({ from }) => /resources\/.*routes\.ts$/.test(from));
    assert.deepEqual(tell(wrong), []);
  });

  it('of Fastify stay in http/, routes and app.ts; elsewhere types at most', () => {
    const wrong = server
      .filter((file) => !/^server\/src\/(http\/|app\.ts)|routes\.ts$/.test(file))
      .flatMap(importsOf)
      .filter(({ from, typesOnly }) => /^@?fastify/.test(from) && !typesOnly);
    assert.deepEqual(tell(wrong), []);
  });

  it("of a slice's queries stay in the slice", () => {
    const wrong = server
      .flatMap(importsOf)
      .filter(({ file, from }) => /queries\.ts$/.test(from) && sliceOf(file) !== sliceOf(from));
    assert.deepEqual(tell(wrong), []);
  });

  it('lead down: queries know the database, and nothing of nouns or routes', () => {
    const wrong = server
      .filter((file) => /queries\.ts$/.test(file))
      .flatMap(importsOf)
      .filter(
        ({ from, typesOnly }) =>
          from.startsWith('server/src/resources/') &&
          !typesOnly &&
          !/queries\.ts$|schema\.ts$|rules\.ts$|access\.ts$/.test(from),
      );
    assert.deepEqual(tell(wrong), []);
  });

  it('of the leaves lead nowhere: errors, config, graph and sdk know nothing of ours', () => {
    const leaves: [RegExp, RegExp][] = [
      [/^server\/src\/(errors|config)\.ts$/, /^(server|@cogworks)\//],
      [/^graph\/src\//, /^(server|sdk|worker|cli|dashboard|node:)|^@cogworks/],
      [/^sdk\/src\//, /^(server|graph|worker|cli|dashboard)\/|^@cogworks/],
    ];
    const wrong = leaves.flatMap(([of, never]) =>
      code
        .filter((file) => of.test(file) && !isTest(file))
        .flatMap(importsOf)
        .filter(({ from }) => never.test(from)),
    );
    assert.deepEqual(tell(wrong), []);
  });

  it('of worker, cli and dashboard reach the server through the sdk only', () => {
    const wrong = code
      .filter((file) => /^(worker|cli|dashboard)\/src\//.test(file) && !isTest(file))
      .flatMap(importsOf)
      .filter(({ from }) => /^(server|tools)\//.test(from) || from === '@cogworks/server');
    assert.deepEqual(tell(wrong), []);
  });

  it('of the engine lead to nouns, never to routes or HTTP', () => {
    const wrong = server
      .filter((file) => file.startsWith('server/src/engine/'))
      .flatMap(importsOf)
      .filter(({ from }) => /routes\.ts$/.test(from));
    assert.deepEqual(tell(wrong), []);
  });
});
