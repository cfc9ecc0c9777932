/**
 * Makes the files in tools/demo/input from the texts and drawings here. Only for changing them:
 * the results are committed. Takes chromium.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findProgram } from '../../../worker/src/containers/probe.ts';
import { dial, gearTrain, orrery } from './drawings.ts';

const input = join(import.meta.dirname, '../input');
const browser = await chromium.launch({
  executablePath: (await findProgram('chromium')) ?? 'chromium',
});
const page = await browser.newPage();

for (const name of ['gear-trains', 'orreries', 'a-year-at-the-bench']) {
  await page.goto(pathToFileURL(join(import.meta.dirname, `${name}.html`)).href);
  await page.pdf({ path: join(input, `${name}.pdf`), preferCSSPageSize: true });
}
// The beginning of a document, like an interrupted scan: a PDF has its table of contents at the
// end.
const whole = await readFile(join(input, 'orreries.pdf'));
await writeFile(join(input, 'broken-scan.pdf'), whole.subarray(0, 9000));

for (const [name, svg] of Object.entries({
  'gear-train.png': gearTrain(),
  'orrery.jpg': orrery(),
  'dial.jpg': dial(),
})) {
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  await page.setViewportSize({ width: Number(width), height: Number(height) });
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`);
  const format = name.endsWith('.jpg') ? { type: 'jpeg' as const, quality: 82 } : {};
  await page.screenshot({ path: join(input, name), ...format });
}
await browser.close();
