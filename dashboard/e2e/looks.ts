/**
 * Checks a page in both colour schemes and widths: axe finds no violation, and nothing overflows
 * the page. `SCREENSHOTS=folder` also saves a picture of each.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** The short form: each page has to be sent it. */
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * The standard, best practices, and experimental rules, such as a label that differs from its text.
 */
const allRules = {
  type: 'tag',
  values: [
    ...['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    ...['best-practice', 'experimental'],
  ],
};
/** Light and dark differ only in contrast. */
const contrastAlone = { type: 'rule', values: ['color-contrast'] };

const [desktop, phone] = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
];
/**
 * Both widths by all rules, and both schemes by those of contrast. The phone in light colours shows
 * nothing that the others do not: it is only drawn, if pictures are kept.
 */
const variants = [
  { size: desktop, colorScheme: 'light', rules: allRules },
  { size: desktop, colorScheme: 'dark', rules: contrastAlone },
  { size: phone, colorScheme: 'dark', rules: allRules },
  ...(process.env.SCREENSHOTS
    ? ([{ size: phone, colorScheme: 'light', rules: undefined }] as const)
    : []),
] as const;

/** Checks the page in its current state, including open dialogs and menus, in each variant. */
export async function checkLooks(page: Page, name: string): Promise<void> {
  const found: string[] = [];
  await leaveTooltip(page);
  for (const { size, colorScheme, rules } of variants) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await settle(page, colorScheme);
    const look = `${name} at ${size.width} px, ${colorScheme}`;
    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    if (Number(beyond) > 0) found.push(`${look}: ${beyond} px beyond the edge`);
    const cut = (await page.evaluate(cutOff)) as string[];
    found.push(...cut.map((text) => `${look}: a part of the dialog is cut off: ${text}`));
    const broken = rules ? await brokenRules(page, rules) : [];
    found.push(...broken.map((rule) => `${look}: ${rule}`));
    await keepPicture(page, `${name}-${size.width}-${colorScheme}`);
  }
  assert.deepEqual(found, [], found.join('\n'));
}

/**
 * Checks the page on a large screen, without axe: nothing overflows the page, and no line of text is
 * too long to be read.
 */
export async function checkLargeScreen(page: Page, name: string): Promise<void> {
  const colorScheme = 'light';
  const before = page.viewportSize() ?? desktop;
  await page.setViewportSize({ width: 2560, height: 1440 });
  await page.emulateMedia({ colorScheme });
  await settle(page, colorScheme);
  await keepPicture(page, `${name}-2560`);
  const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(beyond) <= 0, `${name}: ${beyond} px beyond the edge`);
  assert.deepEqual(await page.evaluate(longLines), [], `${name}: too long to be read`);
  await page.setViewportSize(before);
}

/** Lines of more than about 150 letters. */
const longLines = `(() => {
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const long = [];
  while (words.nextNode()) {
    range.selectNodeContents(words.currentNode);
    const { fontSize } = getComputedStyle(words.currentNode.parentElement);
    const isLong = ({ width }) => width > 150 * 0.5 * parseFloat(fontSize);
    if ([...range.getClientRects()].some(isLong)) long.push(words.currentNode.data.slice(0, 200));
  }
  return long;
})()`;

/** A tooltip under the mouse is in no landmark, and would be there now and then. */
async function leaveTooltip(page: Page): Promise<void> {
  const tooltip = page.getByRole('tooltip');
  if ((await tooltip.count()) === 0) return;
  await page.mouse.move(0, 0);
  await tooltip.first().waitFor({ state: 'detached' });
}

/**
 * What of an open dialog is wider than the dialog, also words that have no place to break. Fields and
 * truncated names scroll by themselves.
 */
const cutOff = `[...document.querySelectorAll('[role="dialog"]')]
  .filter((dialog) => dialog.checkVisibility())
  .flatMap((dialog) => {
    const { right } = dialog.getBoundingClientRect();
    const hasWords = (one) => [...one.childNodes].some((node) => node.nodeType === 3);
    const isBeyond = (one) =>
      one.getBoundingClientRect().right > right + 1 ||
      (hasWords(one) &&
        one.scrollWidth > one.clientWidth + 1 &&
        getComputedStyle(one).overflowX === 'visible' &&
        getComputedStyle(one).display !== 'inline');
    return [...dialog.querySelectorAll('button, input, h2, label, p, div, li')]
      .filter((one) => one.checkVisibility() && one.matches('button, input, h2, label, p') || hasWords(one))
      .filter((one) => isBeyond(one))
      .map((one) => one.outerHTML.slice(0, 120));
  })`;

/** Ends transitions of colours, which would be measured halfway; each look waited for a third of a second. */
async function settle(page: Page, colorScheme: string) {
  const own = `[data-mantine-color-scheme="${colorScheme}"]`;
  await page.locator(`html:is(${own}, :not([data-mantine-color-scheme]))`).waitFor();
  await page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const isEnding = ({ effect }) => effect.getComputedTiming().endTime !== Infinity;
    for (let quiet = 0; quiet < 3; quiet++) {
      await frame();
      const moving = document.getAnimations().filter(isEnding);
      if (moving.length > 0) quiet = 0;
      for (const one of moving) one.finish();
    }
  })()`);
}

/**
 * Without the page behind a dialog, which has a look of its own. A popover leaves the page to the
 * keys and to clicks.
 */
const shown = `
  [...document.querySelectorAll('body > :not(#root) [role="dialog"][aria-modal="true"]')]
    .some((dialog) => dialog.checkVisibility()) ? { exclude: ['#root'] } : document`;

async function brokenRules(page: Page, runOnly: object): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  // Reading the style sheets takes a third of the time, and the only rule for them is a test of its
  // own: none depends on how a phone is held (chunks.test.ts).
  const options = { runOnly, resultTypes: ['violations'], preload: { assets: ['media'] } };
  const { violations } = (await page.evaluate(
    `axe.run(${shown}, ${JSON.stringify(options)})`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
  );
}

async function keepPicture(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, '-')}.png`) });
}
