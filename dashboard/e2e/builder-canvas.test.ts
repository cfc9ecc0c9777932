/** Building on the canvas with the mouse, refused wires, testing on a file, copying. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { removeTestResults } from '../../server/src/engine/duties/test-results.ts';
import { removePurged } from '../../server/src/resources/cogs/trash/trash.ts';
import type { TestServer } from '../../server/test/server.ts';
import { until } from '../../server/test/until.ts';
import type { Order, ScriptedWorker } from '../../server/test/worker.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import {
  bendsFromAfar,
  boxes,
  card,
  contains,
  countKeys,
  dragIn,
  draw,
  middle,
  onCanvas,
  port,
  showAll,
  wiresOf,
  workflows,
  write,
} from './canvas-page.ts';
import { checkLooks } from './looks.ts';
import { step } from './outline-page.ts';

const size = { width: 1500, height: 900 };

const idsOfWires = `[...document.querySelectorAll('.react-flow__edge')].map(
  (wire) => wire.dataset.id,
)`;

const haveWires = (page: Page, count: number) =>
  until(`${count} wires`, async () => (await wiresOf(page).count()) === count);

describe('the canvas of the builder', { skip: withoutBrowser }, () => {
  it('builds, tests and copies a workflow, and says why a wire is refused', async (t) => {
    const { server, worker, person, built, wired } = await workflows();
    const page = await openPage(t, { viewport: size });
    await signInto(page, server, person, wired);
    await card(page, 'Print').waitFor();

    await t.test(
      'a refused port says why before the wire is let go, and offers mends',
      async () => {
        const wire = await draw(page, port(page, 'Draw', 'right'), port(page, 'Print', 'left'));
        const reason = /brings image\/png, but "in" takes application\/pdf/;
        await page.locator('[data-ok="false"]').getByText(reason).waitFor();
        assert.match((await page.locator('output').first().textContent()) ?? '', reason);
        await wire.letGo();
        await page.getByLabel('This wire is refused').waitFor();
        await checkLooks(page, 'a refused wire');
        await page.setViewportSize(size);
        await page.getByRole('button', { name: /Image to PDF between/ }).click();
        await card(page, 'Image to PDF').waitFor();
        await haveWires(page, 4);
        await page.keyboard.press('Control+z');
        await card(page, 'Image to PDF').waitFor({ state: 'detached' });
      },
    );

    await t.test('a wire that closes a circle is refused, and the circle is named', async () => {
      await (await draw(page, port(page, 'Shout', 'right'), port(page, 'Clean', 'left'))).letGo();
      const refusal = page.getByLabel('This wire is refused');
      await refusal.getByText(/clean → shout → clean/).waitFor();
      await page.keyboard.press('Escape');
    });

    await t.test('a second wire to a port of one file offers to replace the first', async () => {
      const wires = () => page.evaluate(idsOfWires) as Promise<string[]>;
      const before = await wires();
      await (await draw(page, port(page, 'letters', 'right'), port(page, 'Shout', 'left'))).letGo();
      await page.getByRole('button', { name: 'Replace the wire from Clean' }).click();
      await until('one of two is another', async () => {
        const now = await wires();
        return now.length === 2 && now.filter((id) => before.includes(id)).length === 1;
      });
      await page.keyboard.press('Control+z');
    });

    await t.test('wires lead around a card that is dragged from afar, as a shape', async () => {
      const zoomOut = page.getByRole('button', { name: 'Zoom out' });
      while ((await page.locator('[data-level="shapes"]').count()) === 0) await zoomOut.click();
      assert.equal(await page.locator('.react-flow__node').count(), 0);
      const at = await onCanvas(page, { x: 300 + 120, y: 20 });
      const between = await onCanvas(page, { x: 300 + 120, y: 250 });
      // Ways are found once the cards have rested.
      const bend = (isIt: string) =>
        page.evaluate(`new Promise((done) => {
          const look = () => (${bendsFromAfar} ${isIt} ? done() : requestAnimationFrame(look));
          look();
        })`);
      await bend('=== 2');
      await page.mouse.move(at.x, at.y);
      const shown = page.locator('.react-flow__node').filter({ has: page.getByTitle('Print') });
      const placed = await shown.getAttribute('style');
      await page.mouse.down();
      await page.mouse.move(between.x, between.y, { steps: 10 });
      await shown.and(page.locator(`:not([style="${placed}"])`)).waitFor();
      await bend('=== 2');
      await page.mouse.up();
      await page.getByRole('button', { name: 'Undo', exact: true, disabled: false }).waitFor();
      await bend('> 2');
      await page.keyboard.press('Control+z');
      await shown.and(page.locator(`[style="${placed}"]`)).waitFor();
      await bend('=== 2');
    });

    await page.goto(`${server.url}/app${built}`);
    await t.test('a workflow of four steps is built, tested and published by mouse alone', (t) =>
      storyByMouse({ t, page, server, worker }),
    );
    await furtherWays({ t, page, server, wired });
  });
});

type Story = {
  t: { test: (name: string, run: () => Promise<void>) => Promise<void> };
  page: Page;
  server: TestServer;
};

/** As if that time had passed since the tests, and the duties had done their work. */
async function aDayLater({ services: { db } }: TestServer) {
  await db`
    update workflow_runs set finished_at = finished_at - interval '25 hours' where not keep_results
  `;
  while ((await removeTestResults(db, 100)) > 0);
  while ((await removePurged(db, 100)) > 0);
}

async function storyByMouse({ t, page, server, worker }: Story & { worker: ScriptedWorker }) {
  const work = () =>
    worker.work((order) =>
      worker.succeed(order, [{ port: 'out', name: 'out.txt', text: `${order.node_key} was here` }]),
    );
  const words = (orders: Order[]) => orders.map(({ params }) => params.word);
  const results = page.getByRole('region', { name: /^Results of/ });
  await page.getByRole('region', { name: 'Canvas', exact: true }).waitFor();
  await countKeys(page);

  await t.test('steps are clicked and dragged in, and wires are drawn', async () => {
    await card(page, 'letters').waitFor();
    await page.getByRole('button', { name: /^Clean/ }).click();
    await card(page, 'Clean').waitFor();
    await dragIn(page, 'Shout', 'Clean');
    await dragIn(page, 'Join', 'Shout');
    for (const [from, to] of [
      ['letters', 'Clean'],
      ['Clean', 'Shout'],
      ['Shout', 'Join'],
    ] as const) {
      await (await draw(page, port(page, from, 'right'), port(page, to, 'left'))).letGo();
    }
    await haveWires(page, 3);
  });

  await t.test('a wire let go on nothing offers what fits, and is connected with it', async () => {
    const { x, y } = await middle(port(page, 'Join', 'right'));
    await (await draw(page, port(page, 'Join', 'right'), { x: x - 20, y: y - 180 })).letGo();
    const options = page.getByRole('listbox', { name: 'Steps' }).getByRole('option');
    await options.first().waitFor();
    assert.equal(await options.filter({ hasText: 'Print' }).count(), 0);
    await options.filter({ hasText: 'Draw' }).click();
    await card(page, 'Draw').waitFor();
    await haveWires(page, 4);
    await showAll(page);
  });

  await t.test('a setting is written beside its step', async () => {
    await card(page, 'Shout').click();
    await page.getByRole('combobox', { name: 'Word' }).fill('dear');
  });

  await t.test('a test runs what leads to a step, and shows what came out', async () => {
    await card(page, 'Shout').click();
    await page.getByRole('button', { name: 'Test up to here' }).click();
    await page.getByRole('button', { name: 'Choose files' }).click();
    await page.getByLabel('Choose letter.txt').click();
    await page.getByRole('button', { name: 'Choose 1 item' }).click();
    await page.getByRole('button', { name: 'Use these' }).click();
    await results.waitFor();
    assert.deepEqual(words(await work()), [undefined, 'dear']);
    await page.getByText('Tested up to Shout').waitFor();
    await page.getByLabel('Map of the canvas').waitFor({ state: 'hidden' });
    await results.getByText(/was here/).waitFor();
    await results.getByRole('button', { name: 'Show the log' }).click();
    await results.getByText('This step wrote nothing.').waitFor();
    await card(page, 'Clean').getByText('Up to date').waitFor();
    assert.equal(await card(page, 'Join').getByText('Up to date').count(), 0);
    await checkLooks(page, 'a test on the canvas');
    await page.setViewportSize(size);
    await card(page, 'Clean')
      .getByRole('button', { name: /Up to date/ })
      .click();
    await results.getByText('clean was here').waitFor();
  });

  await t.test('what has not changed is taken over by the next test', async () => {
    await card(page, 'Shout').click();
    await page.getByRole('combobox', { name: 'Word' }).fill('hey');
    await card(page, 'Shout').getByText('Out of date').waitFor();
    await card(page, 'Clean').getByText('Up to date').waitFor();
    await card(page, 'Join').click();
    await page.getByRole('button', { name: 'Test up to here' }).click();
    await page.getByText(/Testing up to Join/).waitFor();
    const saves: string[] = [];
    page.on('request', (one) => one.method() === 'PATCH' && saves.push(one.url()));
    assert.equal((await work()).length, 2);
    await page.getByText(/Tested up to Join, 1 step taken over/).waitFor();
    assert.deepEqual(saves, [], 'what a run does is no edit');
    await page.getByText(/^Saved \d/).waitFor();
    await card(page, 'Shout').click();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await card(page, 'Shout').getByText('Out of date').waitFor();
    await page.getByRole('button', { name: 'Redo', exact: true }).click();
    await card(page, 'Shout').getByText('Up to date').waitFor();

    // The list tells the same.
    await page.getByText('Outline', { exact: true }).click();
    const row = (key: string) => page.getByRole('listitem').filter({ has: step(page, key) });
    await row('clean').getByText('Up to date, taken over').waitFor();
    await row('join').getByText('Up to date').waitFor();
    await results.getByText('join was here').waitFor();
    await checkLooks(page, 'a test in the list');
    await page.setViewportSize(size);
    await page.getByText('Canvas', { exact: true }).click();
    await card(page, 'Join').waitFor();
  });

  await t.test('what was tested is shown again when the page is loaded anew', async () => {
    assert.equal(await page.evaluate('window.pressed'), 0, 'a key was pressed');
    await page.reload();
    await countKeys(page);
    await card(page, 'Join')
      .getByRole('button', { name: /Up to date/ })
      .click();
    await results.getByText('join was here').waitFor();
    await card(page, 'Clean').getByText('Up to date, taken over').waitFor();
  });

  await t.test('a card says that its results were removed, and tests again', async () => {
    await aDayLater(server);
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await card(page, 'Join').getByText('Results removed').waitFor();
    await results.getByText(/These were removed/).waitFor();
    await results.getByRole('button', { name: 'Test again' }).click();
    await page.getByText(/Testing up to Join/).waitFor();
    assert.equal((await work()).length, 3, 'Nothing can be taken over.');
    await card(page, 'Join').getByText('Up to date').waitFor();
    await results.getByText('join was here').waitFor();
  });

  await t.test('what was tested is published', async () => {
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It is the first one to be published: 4 steps.').waitFor();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Version 1 · Published').waitFor();
    assert.equal(await page.evaluate('window.pressed'), 0, 'a key was pressed');
  });
}

async function furtherWays({ t, page, server, wired }: Story & { wired: string }) {
  await t.test('steps are pasted into another workflow, and what is missing is told', async () => {
    await card(page, 'Shout').click();
    await card(page, 'Join').click({ modifiers: ['Shift'] });
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 2 steps').first().waitFor();
    await page.goto(`${server.url}/app${wired}`);
    await card(page, 'Print').click();
    await page.keyboard.press('Control+v');
    await page
      .getByRole('dialog')
      .getByText(/Not connected: clean/)
      .waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await card(page, 'Join').waitFor();
    await showAll(page);
    assert.equal(await card(page, 'Shout').count(), 2);
    await haveWires(page, 3);
    await page.keyboard.press('Control+z');
    await card(page, 'Join').waitFor({ state: 'detached' });
  });

  await t.test('keys lead along the wires, move, connect and add', async () => {
    await card(page, 'Clean').locator('[data-card]').focus();
    await page.keyboard.press('ArrowRight');
    const focused = page.locator('[data-card]:focus');
    await focused.and(page.getByRole('button', { name: /^Shout,/ })).waitFor();
    for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown', 'Control+z']) {
      await page.keyboard.press(key);
    }
    await page.getByRole('button', { name: 'Undo', exact: true, disabled: true }).waitFor();
    for (const [key, title] of [
      ['?', 'Keys of the canvas'],
      ['c', 'Connect Shout'],
    ] as const) {
      await page.keyboard.press(key);
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await focused.waitFor();
    }
    await page.keyboard.press('a');
    await page.getByRole('combobox', { name: 'Find a step to add' }).fill('join');
    await page.keyboard.press('Enter');
    await card(page, 'Join').waitFor();
    await showAll(page);
    await haveWires(page, 3);
    await page.keyboard.press('Control+z');
    await card(page, 'Join').waitFor({ state: 'detached' });
    await haveWires(page, 2);
  });

  await t.test('a variable that was open stays when a card is deleted, or nothing', async () => {
    await card(page, 'Clean').locator('[data-card]').focus();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await card(page, 'Clean').click();
    await page.keyboard.press('Delete');
    await card(page, 'Clean').waitFor({ state: 'detached' });
    const variable = page.locator('[data-entity="workflow"]').getByText('value', { exact: true });
    await variable.click();
    const nothing = await onCanvas(page, { x: 620, y: 60 });
    await page.mouse.click(nothing.x, nothing.y);
    await page.keyboard.press('Delete');
    await variable.waitFor();
    await page.keyboard.press('Control+z');
    await card(page, 'Clean').waitFor();
    await page.keyboard.press('Control+z');
    await variable.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+y');
    await variable.click();
    await page.getByRole('button', { name: 'Delete the variable' }).click();
    await variable.waitFor({ state: 'detached' });
    await page.locator('aside:focus').waitFor();
  });

  await t.test('notes and frames are written, and a frame goes along with its steps', async () => {
    await card(page, 'Clean').locator('[data-card]').focus();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a note' }).click();
    await write(page, 'Note', '**Check** the letters first');
    await page.getByRole('button', { name: 'Note: **Check** the letters first' }).waitFor();
    await page.locator('.react-flow__node strong', { hasText: 'Check' }).waitFor();

    await card(page, 'Print').click();
    await card(page, 'Shout').click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Frame around what is selected' }).click();
    await write(page, 'Frame', 'Loud');
    const frame = page.getByRole('button', { name: 'Frame: Loud' });
    await frame.waitFor();
    const [around, print, shout] = await boxes(frame, card(page, 'Print'), card(page, 'Shout'));
    assert.ok(contains(around, print) && contains(around, shout));
    assert.ok(!contains(around, (await boxes(card(page, 'Clean')))[0]));

    await card(page, 'Print').click();
    await card(page, 'Shout').click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Align' }).click();
    await page.getByRole('menuitem', { name: 'Align top edges' }).click();
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
    const [smaller, first, second] = await boxes(frame, card(page, 'Print'), card(page, 'Shout'));
    assert.equal(first.y, second.y);
    assert.ok(contains(smaller, second) && smaller.height < around.height);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await until(
      'it is where it was',
      async () => (await boxes(card(page, 'Shout')))[0].y === shout.y,
    );
  });
}
