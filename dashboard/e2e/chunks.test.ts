/** The files of script and style that the dashboard is built into (chunks.ts). */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Built, manifestOf } from '../../tools/dashboard-sizes.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { seeded } from './seeded.ts';

const dist = join(import.meta.dirname, '../dist');
const manifest = await manifestOf(dist);

describe('the files of the build', () => {
  it('do not import each other in a circle', () => {
    assert.ok(Object.keys(manifest).length > 50);
    const circles = Object.keys(manifest).flatMap((key) => circleFrom(key, manifest) ?? []);
    assert.deepEqual(circles, []);
  });

  it('show the same however a phone is held (WCAG 1.3.4)', async () => {
    let count = 0;
    for await (const sheet of glob(join(dist, 'assets/*.css'))) {
      assert.doesNotMatch(await readFile(sheet, 'utf8'), /orientation:/, sheet);
      count += 1;
    }
    assert.ok(count > 0);
  });

  it('can all be loaded', { skip: withoutBrowser }, async (t) => {
    const { server, person } = await seeded();
    const page = await openPage(t);
    await signInto(page, server, person, '/files');
    await page.getByText('notes.txt').first().waitFor();
    const names = Object.values(manifest).map(({ file }) => file);
    const scripts = names.filter((name) => name.endsWith('.js'));
    assert.ok(scripts.length > 50);
    // A script, because it runs in the page, whose types this test does not have.
    const faults = await page.evaluate(`(async () => {
      const faults = [];
      for (const name of ${JSON.stringify(scripts)})
        await import('/app/' + name).catch((error) => faults.push(name + ': ' + error));
      return faults;
    })()`);
    assert.deepEqual(faults, []);
  });
});

/** The way from a file back to itself, if there is one. */
function circleFrom(key: string, files: Record<string, Built>): string | undefined {
  const ways = new Map([[key, key]]);
  // A map is also walked through what is added meanwhile.
  for (const [one, way] of ways) {
    for (const next of files[one]?.imports ?? []) {
      if (next === key) return `${way} > ${key}`;
      if (!ways.has(next)) ways.set(next, `${way} > ${next}`);
    }
  }
  return undefined;
}
