/**
 * `npm run bench [-- NAME…]`: measures the real server on its own data folder, which is removed
 * afterwards. Without a name it measures everything and writes docs/benchmarks.md. Numbers depend
 * on the machine and its other load: compare only what was measured together.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { canvas } from './canvas/canvas.ts';
import { stopOnSignals } from './cleanup.ts';
import { containers } from './containers.ts';
import type { PartResult, Result } from './figures.ts';
import { files } from './files/files.ts';
import { grid } from './grid/grid.ts';
import { hostile } from './hostile/hostile.ts';
import { idle } from './idle.ts';
import { describeMachine, describeVersions } from './machine.ts';
import { memory } from './memory/memory.ts';
import type { Options } from './options.ts';
import { openPeers } from './peers.ts';
import { tables, withMeasured } from './report.ts';
import { runs } from './runs/runs.ts';
import { scale } from './scale/scale.ts';
import { statements } from './statements.ts';
import { tree } from './tree/tree.ts';
import { wide } from './wide.ts';

const root = join(import.meta.dirname, '../..');
const documentFile = join(root, 'docs/benchmarks.md');
const resultFile = (column: Column) => join(root, `docs/benchmarks/${column}.json`);

const parts: Record<string, (options: Options) => Promise<PartResult>> = {
  idle,
  statements,
  files,
  runs,
  containers,
  wide,
};

const usage = `npm run bench [-- NAME…] [OPTIONS]
  NAME             ${Object.keys(parts).join(', ')}: prints what was measured.
                   None: all of them, kept as "now".
                   hostile: what one tenant notices of another, with options of its own.
                   scale: how the database goes through a large installation, with the same.
                   memory: of the server, while 100 large files come in or go out at once.
                   canvas: the builder in Chromium, with a draft of a thousand nodes.
                   tree: requests to a tenant of ten million cogs beside one of ten thousand.
                   grid: the page of a run of 10,000 files and 20 steps in a real browser.
  --peers [DIR]    also runs the scripts in DIR (../shared/peers), in the same minutes
  --quick          a smoke run of about two minutes, which writes nothing
  --checkout DIR   the server of another folder
  --keep COLUMN    before or now: where the result is kept in docs/benchmarks.md; parts
                   replace those of an earlier result of the same commit
  --show NAME      prints the statements of an operation (statements)`;

stopOnSignals();
const [first = '', ...rest] = process.argv.slice(2);
if (first === 'hostile') await hostile(rest);
else if (first === 'scale') await scale(rest);
else if (first === 'tree') await tree(rest);
else if (first === 'memory') await memory(rest);
else if (first === 'grid') await grid(rest);
else if (first === 'canvas') await canvas(rest);
else if (first === '--help') console.log(usage);
else await measure(process.argv.slice(2));

async function measure(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args: withFolderOfPeers(args),
    allowPositionals: true,
    options: {
      peers: { type: 'string' },
      quick: { type: 'boolean', default: false },
      checkout: { type: 'string', default: root },
      keep: { type: 'string' },
      show: { type: 'string' },
    },
  });
  const unknown = positionals.filter((name) => !(name in parts));
  if (unknown.length > 0) return refuse(`There is no ${unknown.join(', ')}.`);
  const { quick } = values;
  const seconds = quick ? 2 : 8;
  const options: Options = {
    checkout: resolve(values.checkout),
    rounds: quick ? 1 : 3,
    seconds,
    isQuick: quick,
    peers: openPeers(values.peers && resolve(values.peers), seconds),
    show: values.show,
  };
  const isWhole = positionals.length === 0;
  const column = values.keep ?? (isWhole && !quick ? 'now' : undefined);
  if (column !== undefined && !isColumn(column)) return refuse(`There is no column ${column}.`);
  const result = await measureParts(isWhole ? Object.keys(parts) : positionals, options);
  const before = await readResult('before');
  const told =
    column === 'before'
      ? tables(result, undefined)
      : tables(before && partsLike(result, before), result);
  console.log(`\n${told}`);
  if (column) await keep(column, result, isWhole);
}

type Column = 'before' | 'now';

function isColumn(name: string): name is Column {
  return name === 'before' || name === 'now';
}

function refuse(why: string) {
  console.error(`${why}\n\n${usage}`);
  process.exitCode = 2;
}

/** The parts of an earlier result that were measured again. */
function partsLike({ parts }: Result, earlier: Result): Result | undefined {
  const same = Object.entries(earlier.parts).filter(([name]) => name in parts);
  return same.length > 0 ? { ...earlier, parts: Object.fromEntries(same) } : undefined;
}

/** `--peers` without a value means the default folder. */
function withFolderOfPeers(args: string[]): string[] {
  const at = args.indexOf('--peers');
  const next = args[at + 1];
  const isAlone = next === undefined || next.startsWith('-') || next in parts;
  return at >= 0 && isAlone ? args.with(at, `--peers=${join(root, '../shared/peers')}`) : args;
}

async function measureParts(names: string[], options: Options): Promise<Result> {
  const result: Result = {
    commit: commitOf(options.checkout),
    machine: describeMachine(),
    versions: describeVersions(),
    parts: {},
  };
  for (const name of names) {
    const when = new Date().toISOString().slice(0, 16).replace('T', ' ');
    const began = performance.now();
    console.log(name);
    result.parts[name] = { when, ...(await parts[name]?.(options)) };
    console.log(`  took ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
  return result;
}

function commitOf(dir: string): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: dir, encoding: 'utf8' }).stdout;
  const isChanged = git('status', '--porcelain', 'server', 'graph', 'worker', 'migrations') !== '';
  return `${git('rev-parse', '--short', 'HEAD').trim()}${isChanged ? ' with changes' : ''}`;
}

async function keep(column: Column, result: Result, isWhole: boolean): Promise<void> {
  const earlier = await readResult(column);
  if (!isWhole && earlier && earlier.commit !== result.commit)
    throw new Error(
      `What is kept as ${column} is of commit ${earlier.commit}: measure everything.`,
    );
  const kept = { ...result, parts: { ...(isWhole ? {} : earlier?.parts), ...result.parts } };
  await mkdir(dirname(resultFile(column)), { recursive: true });
  await writeFile(resultFile(column), `${JSON.stringify(kept, null, 2)}\n`);
  const measured = tables(await readResult('before'), await readResult('now'));
  const document = await readFile(documentFile, 'utf8');
  await writeFile(documentFile, withMeasured(document, measured));
  console.log(`Written: ${relative(process.cwd(), documentFile)}`);
}

async function readResult(column: Column): Promise<Result | undefined> {
  const file = resultFile(column);
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : undefined;
}
