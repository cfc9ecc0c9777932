import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { type Client, cast } from '../../server/test/cast.ts';
import { until } from '../../server/test/until.ts';
import { registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, whenLeft, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

const password = 'correct horse battery';
const draftPath = '**/workflows/workflow-versions/*';

type Titles = Record<string, string>;

/** A workflow of two steps, Read and Pack, and people who may change it. */
async function stage() {
  const { server, owner, admin } = await cast();
  for (const { user } of [owner, admin]) {
    await setPassword(server.services.db, user.id, password, { must_change: false });
  }
  const id = await registerNode(owner, { title: 'Copy', inputs: [] });
  const nodes = ['read', 'pack'].map((key) => ({
    key,
    node_definition_id: id,
    title: key === 'read' ? 'Read' : 'Pack',
  }));
  const graph = { nodes, edges: [], inputs: [], variables: [] };
  const { body } = await owner.post('/workflows', { name: 'Letters', graph });
  const path = `/workflows/${body.id}/versions/${body.latest_version_id}`;
  const versionPath = `/workflows/workflow-versions/${body.latest_version_id}`;
  const titles = async (): Promise<Titles> => {
    const { body } = await owner.get(versionPath);
    return Object.fromEntries(body.graph.nodes.map((one: Titles) => [one.key, one.title]));
  };
  const open = async (t: TestContext, who: Client, node: string) => {
    const page = await openPage(t);
    await signInto(page, server, { email: who.user.email, password }, at(path, node));
    await titleField(page).waitFor();
    return page;
  };
  return { server, owner, admin, path, titles, open };
}

const at = (path: string, node: string) => `${path}?view=outline&node=${node}`;
const titleField = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true });
const choose = (page: Page, title: string) =>
  page.getByRole('main').getByText(title, { exact: true }).first().click();
const saved = (page: Page) => page.getByText(/^Saved \d/).waitFor();

/** Waits until what is done here is saved, and says so. */
async function saving(page: Page, action: () => Promise<void>) {
  const sent = page.waitForResponse(
    (answer) => answer.request().method() === 'PATCH' && answer.ok(),
  );
  await action();
  await sent;
  await saved(page);
}

/** What the page tells of saving from the next edit on, also after it is loaded again. */
async function wordsOfSaving(page: Page) {
  const told: unknown[] = [];
  const teller = await page.exposeFunction('tell', (status: unknown) => told.push(status));
  const watch = `{
    const options = { subtree: true, childList: true, attributeFilter: ['data-status'] };
    new MutationObserver(() => {
      const { status } = document.querySelector('header [data-status]:not(a)')?.dataset ?? {};
      if (status && status !== window.told) tell((window.told = status));
    }).observe(document, options);
  }`;
  const script = await page.addInitScript({ content: watch });
  for (const one of [teller, script]) whenLeft(page, () => one.dispose());
  await page.evaluate(`window.told = 'saved'; ${watch}`);
  return told;
}

/** Holds what the page saves back, until it is let go. */
async function holdSaves(page: Page) {
  let letGo = () => {};
  const gate = new Promise<void>((open) => {
    letGo = open;
  });
  await page.route(draftPath, async (route: Route) => {
    if (route.request().method() === 'PATCH') await gate;
    await route.continue();
  });
  return letGo;
}

/** Whether this browser keeps an edit. */
const isInJournal = `new Promise((done) => {
  const opening = indexedDB.open('cogworks-drafts');
  opening.onsuccess = () => {
    const count = opening.result.transaction('steps').objectStore('steps').count();
    count.onsuccess = () => {
      opening.result.close();
      done(count.result > 0);
    };
  };
})`;

/** @returns ends the process of the page, which can do nothing any more. */
async function crashOf(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  return async () => {
    const crashed = page.waitForEvent('crash');
    void devtools.send('Page.crash').catch(() => {});
    await crashed;
  };
}

describe('drafts', { skip: withoutBrowser }, () => {
  it('of two people keep what both did', async (t) => {
    const { owner, admin, open, titles } = await stage();
    const ana = await open(t, owner, 'read');
    const ben = await open(t, admin, 'pack');

    await t.test('in different places, with a line that says who and what', async () => {
      const letGo = await holdSaves(ben);
      await titleField(ben).fill('Pack all');
      await ben.getByText('Saving …').waitFor();
      await titleField(ana).fill('Read scans');
      await saved(ana);
      letGo();
      await ben.getByText('owner changed this draft: Renamed Read to Read scans.').waitFor();
      await saved(ben);
      assert.deepEqual(await titles(), { read: 'Read scans', pack: 'Pack all' });
      await ana.getByText('admin changed this draft: Renamed Pack to Pack all.').waitFor();
      assert.equal(await ben.getByRole('dialog').count(), 0);
    });

    await t.test(
      'at the same field after a choice, and what is typed meanwhile stays',
      async () => {
        const letGo = await holdSaves(ben);
        await choose(ben, 'Read scans');
        await titleField(ben).fill('Read letters');
        await ben.getByText('Saving …').waitFor();
        await saving(ana, () => titleField(ana).fill('Read everything'));
        letGo();
        const box = ben.getByRole('dialog', { name: 'owner changed the same thing as you' });
        await box.waitFor();
        await checkLooks(ben, 'two values of one field');
        await ben.setViewportSize({ width: 1280, height: 800 });
        await choose(ben, 'Pack all');
        await titleField(ben).fill('Pack the rest');
        await box.getByLabel('owner: Renamed Read scans to Read everything').check();
        await box.getByRole('button', { name: 'Keep the chosen' }).click();
        await saved(ben);
        assert.deepEqual(await titles(), { read: 'Read everything', pack: 'Pack the rest' });
        await saving(ben, () => ben.getByRole('button', { name: 'Undo', exact: true }).click());
        assert.equal((await titles()).read, 'Read letters');
        await ben.getByRole('button', { name: 'History' }).click();
        await ben.getByRole('list', { name: 'History' }).waitFor();
        await ben.mouse.move(0, 0);
        await checkLooks(ben, 'history of a draft');
        await ben.setViewportSize({ width: 1280, height: 800 });
      },
    );

    await t.test('and undo says where nothing is left to undo', async () => {
      await ana.getByText(/^admin changed this draft: .*to Read letters/).waitFor();
      await ana.getByRole('button', { name: 'Undo', exact: true }).click();
      await ana.getByText(/^Not undone, as it was changed elsewhere since: /).waitFor();
      assert.equal((await titles()).read, 'Read letters');
    });
  });

  it('lose nothing while the service is away and the page is loaded again', async (t) => {
    const { owner, open, titles } = await stage();
    const page = await open(t, owner, 'read');
    await page.route(draftPath, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    const told = await wordsOfSaving(page);
    await titleField(page).fill('');
    await titleField(page).pressSequentially('twenty edits');
    await page.getByText('Offline, kept in this browser').waitFor();
    await page.reload();
    await page.getByText('twenty edits').first().waitFor();
    await titleField(page).press('End');
    await titleField(page).pressSequentially(' and');
    await page.getByText('Offline, kept in this browser').waitFor();
    assert.deepEqual(await titles(), { read: 'Read', pack: 'Pack' });
    assert.deepEqual(
      told.filter((status) => status === 'saved'),
      [],
      'It was never told that all is saved.',
    );
    assert.ok(told.includes('unreachable'), told.join());
    await page.unroute(draftPath);
    await page.getByRole('button', { name: 'Try now' }).click();
    await saved(page);
    assert.deepEqual(await titles(), { read: 'twenty edits and', pack: 'Pack' });
  });

  it('offer back what a tab that crashed had not sent', async (t) => {
    const { server, owner, open, path, titles } = await stage();
    const page = await open(t, owner, 'read');
    const crash = await crashOf(page);
    await holdSaves(page);
    await titleField(page).fill('Lost');
    await until('the edit is kept in the browser', () => page.evaluate(isInJournal));
    await crash();
    assert.deepEqual(await titles(), { read: 'Read', pack: 'Pack' });
    const another = await page.context().newPage();
    const person = { email: owner.user.email, password };
    await signInto(another, server, person, at(path, 'read'));
    await another.getByText('1 edit of yours').waitFor();
    await another.getByRole('button', { name: 'Bring them back' }).click();
    await saved(another);
    assert.deepEqual(await titles(), { read: 'Lost', pack: 'Pack' });
  });

  it('that were published meanwhile offer what was not saved as a new draft', async (t) => {
    const { owner, admin, open, path } = await stage();
    const page = await open(t, owner, 'read');
    const letGo = await holdSaves(page);
    await titleField(page).fill('Too late');
    await page.getByText('Saving …').waitFor();
    const id = path.split('/').at(-1);
    const { status } = await admin.post(`/workflows/workflow-versions/${id}/publish`);
    assert.equal(status, 200);
    letGo();
    await page.getByText('Could not be saved', { exact: true }).waitFor();
    await titleField(page).fill('Later still');
    await page.reload();
    await page.getByText(/edits? of yours/).waitFor();
    await page.getByRole('button', { name: 'Keep them in a new draft' }).click();
    await page.getByText('Version 2 · Draft').waitFor();
    await page.getByText('Later still').first().waitFor();
  });
});
