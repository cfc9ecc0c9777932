/** The files of script that the dashboard is built into (chunks.ts). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Built, manifestOf } from '../../tools/dashboard-sizes.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { seeded } from './seeded.ts';

const manifest = await manifestOf(join(import.meta.dirname, '../dist'));

describe('the files of the build', () => {
  it('do not import each other in a circle', () => {
    assert.ok(Object.keys(manifest).length > 50);
    const circles = Object.keys(manifest).flatMap((key) => circleFrom(key, manifest) ?? []);
    assert.deepEqual(circles, []);
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
