/** As in an office without certificates: by plain HTTP, from another address than the machine's own. */
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { startServer } from '../../server/test/server.ts';
import { openPage, signInByForm, withoutBrowser } from './browser.ts';
import { builderDefinitions, draftOf } from './builder-world.ts';

const password = 'correct horse battery';
const address = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const skip = withoutBrowser || (address ? false : 'this machine has no address but its own');

describe('by plain HTTP', { skip }, () => {
  it('one signs in, uploads, and copies steps, though browsers offer less there', async (t) => {
    const { server, admin } = await cast(await startServer({}, undefined, { host: address ?? '' }));
    await setPassword(server.services.db, admin.user.id, password, { must_change: false });
    const { crop } = await builderDefinitions(admin);
    const nodes = [
      { key: 'crop', node_definition_id: crop, title: 'Crop', position: { x: 0, y: 0 } },
    ];
    const path = await draftOf(admin, 'Scans', { nodes, edges: [], inputs: [], variables: [] });
    const page = await openPage(t, { reducedMotion: 'reduce' });

    await signInByForm(page, server, { email: admin.user.email, password });
    await page.getByText('This folder is empty').waitFor();
    assert.equal(await page.evaluate('isSecureContext'), false);
    const scan = { name: 'scan.txt', mimeType: 'text/plain', buffer: Buffer.from('a scan') };
    await page.locator('input[type=file]').first().setInputFiles([scan]);
    await page.getByText('1 file uploaded').waitFor();

    await page.goto(`${server.url}/app${path}?view=canvas`);
    const cards = page.locator('.react-flow__node [title="Crop"]');
    await cards.click();
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 1 step').first().waitFor();
    const copies = page.getByText('Copied 1 step').and(page.locator(':not(output)'));
    const before = await copies.count();
    await page.keyboard.press('Control+k');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('copy what');
    await page.getByRole('option', { name: /^Copy what is selected/ }).waitFor();
    await page.keyboard.press('Enter');
    await copies.nth(before).waitFor();
    assert.equal(await copies.count(), before + 1, 'It is told once.');
    await page.keyboard.press('Control+v');
    await cards.nth(1).waitFor();
    await page.getByRole('button', { name: 'Paste' }).click();
    const box = page.getByRole('dialog', { name: 'Paste steps' });
    await box.getByLabel('Copied steps, as text').press('Control+v');
    await box.getByRole('button', { name: 'Paste' }).click();
    await box.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show all' }).click();
    await cards.nth(2).waitFor();
    await page.getByText(/^Saved \d/).waitFor();
  });
});
