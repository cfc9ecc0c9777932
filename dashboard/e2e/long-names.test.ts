/** Names for which there is no room. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from './browser.ts';
import { filesPage, row, showPictures } from './files-page.ts';
import { checkLooks } from './looks.ts';

const begin = 'scan_of_a_letter_of_the_year_2026_with_enclosures_';
const file = `${begin.repeat(3)}page_0017.jpeg`;
const folder = `${begin.repeat(3)}part 2`;

describe('long names', { skip: withoutBrowser }, () => {
  it('are cut before their ends, and read and shown in full', async (t) => {
    const { page } = await filesPage(t, [folder], [file]);
    for (const view of ['list', 'grid'] as const) {
      if (view === 'grid') await showPictures(page);
      const places =
        view === 'list'
          ? [row(page, folder), row(page, file)]
          : [folder, file].map((name) => page.getByRole('gridcell').filter({ hasText: name }));
      await page.getByRole('link', { name: folder, exact: true }).waitFor();
      await page.getByRole('button', { name: file, exact: true }).waitFor();
      assert.equal(await page.getByTitle(file, { exact: true }).count(), 1);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 740 });
        for (const [at, end] of ['s_part 2', '_0017.jpeg'].entries()) {
          const box = await places[at]?.boundingBox();
          const shown = await page.getByText(end, { exact: true }).boundingBox();
          assert.ok(box && shown, `${end} is not shown in the ${view} at ${width} px`);
          assert.ok(shown.x > box.x && shown.x + shown.width < box.x + box.width);
          assert.ok(shown.y > box.y && shown.y + shown.height < box.y + box.height);
        }
      }
      await checkLooks(page, `long names in the ${view}`);
      await page.setViewportSize({ width: 1280, height: 740 });
    }
    await page.getByRole('button', { name: file, exact: true }).click();
    await page.getByText('1 of 1').waitFor();
    await checkLooks(page, 'preview of a long name');
  });
});
