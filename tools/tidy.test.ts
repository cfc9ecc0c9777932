/**
 * The rules of STYLE.md as a test: which module may import which, how long a file may be, where settings
 * may be read. An exemption is a line here, with its reason.
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

type Import = { file: string; from: string; typesOnly: boolean; passedOn: boolean };
const importPattern =
  /^(import|export)(\s+type)?\s[^;'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm;

/** Every import of a file; a relative one as the path from the root. */
function importsOf(file: string): Import[] {
  return [...read(file).matchAll(importPattern)].map(([, word, type, from = '', bare = '']) => {
    const target = from || bare;
    const path = target.startsWith('.') ? normalize(join(dirname(file), target)) : target;
    return { file, from: path, typesOnly: type !== undefined, passedOn: word === 'export' };
  });
}

/** A slice is a folder of resources/ with all below it, the engine, or the objects. */
const sliceOf = (file: string) => file.match(/^server\/src\/(resources\/[^/]+|[^/]+)/)?.[0] ?? file;

const tell = (imports: Import[]) => imports.map(({ file, from }) => `${file} imports ${from}`);

/** Long-running programs, and programs that start such. */
const programs = [...code, ...files.filter((file) => file.endsWith('.mjs'))].filter(
  (file) => /^(server|worker|tools|cli)\//.test(file) && !isTest(file),
);

/** Starts children without listening to `error`, with the reason. */
const mayNotListen: Record<string, string> = {
  'server/src/db/embedded.ts': 'supervisor.ts listens',
};

/** Longer than 400 lines (500 for tests), with the reason. */
const mayBeLong: Record<string, string> = {};

/** Uses a part of http/ that is neither a route's nor a type, with the reason. */
const mayUseHttp: Record<string, string> = {
  'server/src/resources/workflows/graph-bodies.ts':
    'graphs are read on a thread, by the rules of all bodies',
  'server/src/resources/workflows/graph-work.ts': 'what that thread does',
};

/** Holds SQL outside queries.ts, db/ and tables/, with the reason. */
const mayHoldSql: Record<string, string> = {
  'server/src/objects/pieces.ts': 'parts of statements that make something of objects',
  'server/src/resources/permissions/access.ts':
    'the caller chooses which of its parts are one statement',
  'server/src/resources/ops/routes.ts': 'asks the database whether it is there',
  'server/src/roles/parts.ts': 'asks whether there is a database before there is one',
};

/** Passes on what other slices may use of its own queries, which are private otherwise. */
const mayShareQueries = [
  'server/src/resources/users/users.ts',
  'server/src/resources/api-keys/api-keys.ts',
  'server/src/resources/cogs/files/files.ts',
];

/** Keeps a variable for the whole process, with the reason. */
const mayBeGlobal: Record<string, string> = {
  'server/src/db/connection.ts': 'prepared statements have one name each in a whole process',
  'server/src/db/prepared.ts': 'what is known of a connection, kept with it',
  'server/src/db/rows.ts': 'a kind of row is read alike in a whole process',
  'server/src/db/statement.ts': 'what templates form is the same in a whole process',
};

describe('the code', () => {
  it('has no file that is too long to keep in mind', () => {
    const long = code.filter((file) => {
      const lines = read(file).split('\n').length - 1;
      return lines > (isTest(file) ? 500 : 400) && !(file in mayBeLong);
    });
    assert.deepEqual(long, []);
  });

  it('numbers migrations and decisions without using a number twice', () => {
    const numbers = files.flatMap(
      (file) => /^(?:migrations|docs\/decisions)\/\d+/.exec(file) ?? [],
    );
    assert.deepEqual(numbers, [...new Set(numbers)]);
  });

  it('has no file named for nothing in particular', () => {
    const nameless = code.filter((file) =>
      /^(utils?|helpers?|common|misc|index)\.tsx?$/.test(basename(file)),
    );
    assert.deepEqual(nameless, []);
  });

  it('reads the environment in one place of the server', () => {
    const readers = server.filter((file) => read(file).includes('process.env'));
    // Passing the environment on to a child process is not reading settings.
    assert.deepEqual(readers, [
      'server/src/child-environment.ts',
      'server/src/config.ts',
      'server/src/roles/local-worker.ts',
    ]);
  });

  it('has SQL in queries alone', () => {
    const statement = /\b(db|tx|quickDb|engineDb|sql|postgres)(<[^`;]*>)?`/;
    const wrong = server.filter(
      (file) =>
        statement.test(read(file)) &&
        !/queries\.ts$|\/(db|tables)\//.test(file) &&
        !(file in mayHoldSql),
    );
    assert.deepEqual(wrong, []);
  });

  it('keeps nothing in variables of a module: services are arguments', () => {
    const state = /^(export )?(let|var) |^(export )?const \w+ = new (Map|Set|WeakMap)\(\);/m;
    const wrong = server.filter((file) => state.test(read(file)) && !(file in mayBeGlobal));
    assert.deepEqual(wrong, []);
  });

  it('has no child process whose failure to start would end ours', () => {
    const listens = /\.(on|once)\('error'|\bonce\((child|server|worker), 'exit'\)/g;
    const wrong = programs.filter(
      (file) =>
        [...read(file).matchAll(/\bspawn\(/g)].length > [...read(file).matchAll(listens)].length &&
        !(file in mayNotListen),
    );
    assert.deepEqual(wrong, []);
  });

  it('handles the errors of every stream it writes: a full disk, a reader that is gone', () => {
    const wrong = programs.filter((file) =>
      read(file)
        .split('\n')
        // Inside a pipeline the failure is the pipeline's.
        .some((line) => /createWriteStream\(|\.pipe\(/.test(line) && !/^ +createWrite/.test(line)),
    );
    assert.deepEqual(wrong, []);
  });

  it('follows several signals by anyOf(), which loses no abort', () => {
    const wrong = code.filter((file) => !isTest(file) && /AbortSignal\.any\(/.test(read(file)));
    assert.deepEqual(wrong, ['sdk/src/any-of.ts']);
  });

  it('starts scripts by exec: a shell in between would not forward signals', () => {
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
      .filter(({ from }) => /^server\/.*routes\.ts$/.test(from));
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
          /^server\/src\/(resources|objects)\//.test(from) &&
          !typesOnly &&
          !/queries\.ts$|schema\.ts$|rules\.ts$|access\.ts$|pieces\.ts$/.test(from),
      );
    assert.deepEqual(tell(wrong), []);
  });

  it('of storage and objects lead to no resource: bytes know nothing of cogs and runs', () => {
    const wrong = server
      .filter((file) => /^server\/src\/(storage|objects)\//.test(file))
      .flatMap(importsOf)
      .filter(({ from }) => /^server\/src\/(resources|engine)\//.test(from));
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

  it('of http/ lead to no resource, no engine and no role', () => {
    const wrong = server
      .filter((file) => file.startsWith('server/src/http/'))
      .flatMap(importsOf)
      .filter(({ from }) => /^server\/src\/(resources|engine|objects|roles|app)\b/.test(from));
    assert.deepEqual(tell(wrong), []);
  });

  it('of http/ are for routes; nouns and the engine know nothing of requests', () => {
    const wrong = server
      .filter((file) => /^server\/src\/(resources|engine|objects|keys|storage|db)\//.test(file))
      .filter((file) => !/routes\.ts$/.test(file) && !(file in mayUseHttp))
      .flatMap(importsOf)
      .filter(({ from }) => from.startsWith('server/src/http/'));
    assert.deepEqual(tell(wrong), []);
  });

  it('are not passed on: a name has one place', () => {
    const wrong = code.flatMap(importsOf).filter(({ passedOn }) => passedOn);
    assert.deepEqual(tell(wrong), []);

    const lists = code.filter(
      (file) => /^export (type )?\{/m.test(read(file)) && !mayShareQueries.includes(file),
    );
    assert.deepEqual(lists, []);
  });

  it('of worker, cli and dashboard reach the server through the sdk only', () => {
    const wrong = code
      .filter((file) => /^(worker|cli|dashboard)\/src\//.test(file) && !isTest(file))
      .flatMap(importsOf)
      .filter(({ from }) => /^(server|tools)\//.test(from) || from === '@cogworks/server');
    assert.deepEqual(tell(wrong), []);
  });

  it('of the engine lead to nouns, never to routes', () => {
    const wrong = server
      .filter((file) => file.startsWith('server/src/engine/'))
      .flatMap(importsOf)
      .filter(({ from }) => /routes\.ts$/.test(from));
    assert.deepEqual(tell(wrong), []);
  });
});
