/** One person's way on a phone: change a setting, run it, find the file that failed, and why. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { builderDefinitions, draftOf } from './builder-world.ts';

const password = 'correct horse battery';

describe('on a phone', { skip: withoutBrowser }, () => {
  it('a setting is changed, and the file that failed then is found with its reason', async (t) => {
    const { server, admin } = await cast();
    await setPassword(server.services.db, admin.user.id, password, { must_change: false });
    const worker = await scriptedWorker(server, admin.user.tenant_id);
    const { crop } = await builderDefinitions(admin);
    for (const name of ['a.png', 'b.png', 'c.png']) await admin.upload(name, `picture ${name}`);
    const path = await draftOf(admin, 'Crop scans', {
      nodes: [{ key: 'crop', node_definition_id: crop, title: 'Crop', map: true }],
      edges: [{ from: { input: 'scans' }, to: { node: 'crop', port: 'image' } }],
      inputs: [{ name: 'scans' }],
      variables: [],
    });
    const page = await openPage(t, {
      reducedMotion: 'reduce',
      viewport: { width: 360, height: 740 },
    });
    const fits = async (where: string) => {
      const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(beyond) <= 0, `${beyond} px beyond the edge of ${where}`);
    };

    await signInto(page, server, { email: admin.user.email, password }, path);
    await page.locator('[data-step="crop"]').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Width' }).fill('300');
    await fits('the settings');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText(/^Saved \d/).waitFor();
    await fits('the builder');
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Version 1 is published.').waitFor();
    await page.getByRole('link', { name: 'Back to the workflow' }).click();
    await page.getByRole('link', { name: 'Run…' }).first().click();
    await page.getByRole('button', { name: 'Choose files' }).click();
    for (const name of ['a.png', 'b.png', 'c.png']) await page.getByLabel(`Choose ${name}`).click();
    await page.getByRole('button', { name: 'Choose 3 items' }).click();
    await fits('the new run');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.waitForURL(/\/runs\/\d+/);
    await worker.work((order) =>
      order.inputs.some(({ name }: { name: string }) => name === 'b.png')
        ? worker.fail(order)
        : worker.succeed(order, [{ port: 'image', name: 'out.png', text: 'smaller' }]),
    );
    await page.getByText('Not everything worked').waitFor();
    await fits('the run');
    await page.getByRole('gridcell', { name: 'Failed' }).click();
    const cell = page.getByRole('dialog', { name: 'Crop' });
    await cell.getByText('b.png').first().waitFor();
    await cell.getByText(/^Its program reported a failure/).waitFor();
    await fits('the cell');
  });
});
