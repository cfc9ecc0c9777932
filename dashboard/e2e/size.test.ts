/** How much script pages need before they show anything, and charts. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { limits, neededFor, screenSizes, sizeOf } from '../../tools/dashboard-sizes.ts';

const dist = join(import.meta.dirname, '../dist');

it('every screen needs no more compressed script than its limit', async () => {
  const sizes = await screenSizes(dist);
  const files = sizes.find(({ screen }) => screen === 'files-screen');
  assert.ok(files && files.bytes > 100_000, `only ${files?.bytes} bytes were found`);
  const tooMuch = sizes.filter(({ bytes, most_bytes }) => bytes > most_bytes);
  assert.deepEqual(tooMuch, []);
});

it('no screen needs more than 32 files of script, which a slow network fetches six at a time', async () => {
  const sizes = await screenSizes(dist);
  assert.deepEqual(
    sizes.filter(({ files }) => files > limits.most_files),
    [],
  );
});

it('every screen that an address leads to is measured', async () => {
  const screens = (await screenSizes(dist)).map(({ screen }) => screen);
  const router = await readFile(join(import.meta.dirname, '../src/app/router.tsx'), 'utf8');
  const named = [...router.matchAll(/([\w-]+-screen)\.tsx/g)].flatMap(([, name]) => name ?? []);
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((name) => !screens.includes(name)),
    [],
  );
});

it('charts come when there is one to draw, and are less than 150 kB more', async () => {
  const screen = await neededFor(dist, 'analytics-screen');
  const chart = await neededFor(dist, 'time-chart');
  const bytes = await sizeOf(
    dist,
    [...chart].filter((name) => !screen.has(name)),
  );
  assert.ok(bytes > 50_000, `only ${bytes} bytes were found`);
  assert.ok(bytes < limits.charts_bytes, `${bytes} bytes`);
});

it('the viewer of logs comes when there is a log to show', async () => {
  const viewer = await neededFor(dist, 'opened-log');
  const own = [...viewer].filter((name) => /\/(opened-log|use-log)-/.test(name));
  assert.equal(own.length, 2);
  for (const part of ['canvas', 'outline', 'try-it', 'run-screen']) {
    const needed = await neededFor(dist, part);
    assert.deepEqual(
      own.filter((name) => needed.has(name)),
      [],
      part,
    );
  }
});

it('the palette and the bell are loaded beside the page', async () => {
  const files = await neededFor(dist, 'files-screen');
  const own = [...files].filter((name) =>
    /\/(palette|palette-host|run-bell)-[\w-]{8}\.js$/.test(name),
  );
  assert.deepEqual(own, []);
});
