/** Each answer late and some lost: nobody has to notice more than that. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { seeded } from './seeded.ts';

const late_ms = 300;
/** Of so many answers with data one is lost, which is more than 3 %. */
const lost = 8;

describe('over a poor network', { skip: withoutBrowser }, () => {
  it('everything works that works over a good one, and is done once', async (t) => {
    const { server, tenant, person, files, workflow, draft } = await seeded();
    const { db } = server.services;
    const page = await openPage(t, { reducedMotion: 'reduce' });
    const answers = await worsen(page);
    await signInto(page, server, person, '/files');
    const go = (path: string) => page.goto(`${server.url}/app${path}`);
    await page.getByRole('link', { name: 'Letters' }).waitFor();

    await t.test('a folder is made once and named once, though answers are lost', async () => {
      const made = await loseAnswer(page, 'POST', /\/cogs\/$/);
      await page.getByRole('button', { name: 'New folder' }).first().click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Made from far away');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Made from far away' }).waitFor();
      const named = await loseAnswer(page, 'PATCH', /\/cogs\/\d+$/);
      await page.getByRole('button', { name: 'Actions for Made from far away' }).click();
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Named from far away');
      await page.keyboard.press('Enter');
      await page.getByText('is now called “Named from far away”').waitFor();
      await page.getByRole('link', { name: 'Named from far away' }).waitFor();
      const found = await db`
        select name from cogs where tenant_id = ${tenant} and name like '% from far away'
      `;
      assert.deepEqual([...found], [{ name: 'Named from far away' }]);
      assert.deepEqual([made.count, named.count], [2, 2]);
    });

    await t.test('a file is shown', async () => {
      await page.getByRole('link', { name: 'Letters' }).click();
      await page.getByRole('button', { name: /^short.txt/ }).click();
      await page.getByText('another').waitFor();
    });

    await t.test('a draft is saved, and is not taken for that of somebody else', async () => {
      await go(`/workflows/${workflow}/versions/${draft}?view=outline&node=each`);
      const title = page.getByRole('textbox', { name: 'Title', exact: true });
      await title.waitFor();
      const saved = await loseAnswer(page, 'PATCH', /\/workflow-versions\/\d+$/);
      await title.fill('Read from far away');
      await page.getByText('Not saved yet').waitFor();
      await page.getByText(/^(All saved|Saved \d)/).waitFor();
      assert.ok(saved.count > 0);
      assert.equal(await page.getByText('changed this draft').count(), 0);
      assert.equal(await page.getByRole('dialog').count(), 0);
      const [row] = await db`select graph from workflow_versions where id = ${draft}`;
      assert.equal(row?.graph.nodes[0].title, 'Read from far away');
    });

    await t.test('a run is started once', async () => {
      await go(`/runs/new?workflow=${workflow}&files=${files.join()}`);
      const count = async () =>
        Number(
          (await db`select count(*) from workflow_runs where tenant_id = ${tenant}`)[0]?.count,
        );
      const before = await count();
      await page.getByRole('combobox', { name: /language/ }).click();
      await page.getByRole('option', { name: 'fr' }).click();
      const started = await loseAnswer(page, 'POST', /\/run$/);
      await page.getByRole('button', { name: 'Start run' }).click();
      await page.getByRole('grid').getByText('short.txt').waitFor();
      assert.deepEqual([await count(), started.count], [before + 1, 2]);
    });

    assert.ok(answers.lost > 0, 'nothing was lost');
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  });

  it('a dialog that could not be loaded comes after the page is loaded again', async (t) => {
    const { server, person } = await seeded();
    const page = await openPage(t, { reducedMotion: 'reduce', expects: /dynamically imported/ });
    await page.route(/\/new-folder-dialog-/, (route) => route.abort());
    await signInto(page, server, person, '/files');
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByText('A part of it could not be loaded').waitFor();

    await page.unroute(/\/new-folder-dialog-/);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
  });
});

/** The next request of this kind reaches the service, and its answer is lost. */
async function loseAnswer(page: Page, method: string, address: RegExp) {
  const sent = { count: 0 };
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    sent.count += 1;
    if (sent.count > 1) return route.fallback();
    await route.fetch();
    return route.abort();
  });
  return sent;
}

/** Answers come late, and each that is lost is one the page can ask for again. */
async function worsen(page: Page) {
  const answers = { count: 0, lost: 0 };
  await page.route('**/*', async (route) => {
    await new Promise((done) => setTimeout(done, late_ms));
    // Browsers themselves do not ask again for a page or a script.
    const request = route.request();
    const mayBeLost = request.resourceType() === 'fetch' && request.method() === 'GET';
    if (mayBeLost) answers.count += 1;
    if (!mayBeLost || answers.count % lost > 0) return route.continue();
    answers.lost += 1;
    return route.abort();
  });
  return answers;
}
