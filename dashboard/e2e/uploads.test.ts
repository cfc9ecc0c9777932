import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { cast } from '../../server/test/cast.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { drop, limitUpload, patternOf } from './drops.ts';
import { checkLooks } from './looks.ts';

/** On a phone the list of uploads is closed at first. */
const wide = (page: Page) => page.setViewportSize({ width: 1280, height: 800 });

async function openFiles(t: TestContext) {
  const { server, admin } = await cast();
  const person = await userWithPassword(server, admin.user.tenant_id);
  const page = await openPage(t);
  await signInto(page, server, person);
  await page.getByText('This folder is empty').waitFor();
  return { server, admin, page, panel: page.getByRole('region', { name: 'Uploads' }) };
}

const text = (name: string, size_bytes = 5) => ({ name, type: 'text/plain', size_bytes });

/** Chooses a file of the disk, whose time of change stays the same. */
async function choose(page: Page, button: string, path: string) {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).first().click();
  await (await chooser).setFiles(path);
}

const large_bytes = 40 * 1024 ** 2;

/** A file in a folder of its own. */
async function fileOf(t: TestContext, size_bytes: number) {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-upload-'));
  t.after(() => rm(dir, { recursive: true }));
  const path = join(dir, 'film.bin');
  await writeFile(path, patternOf(size_bytes));
  return path;
}

describe('uploads in the browser', { skip: withoutBrowser }, () => {
  it('uploads a hundred small files with few requests', async (t) => {
    const { page } = await openFiles(t);
    let requests = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/cogs/')) requests += 1;
    });

    await drop(
      page,
      Array.from({ length: 100 }, (_, at) => text(`scan ${at}.txt`, 2000)),
    );

    await page.getByText('100 files uploaded').waitFor();
    assert.ok(requests < 10, `${requests} requests`);
    await page.getByRole('button', { name: 'scan 0.txt', exact: true }).waitFor();
  });

  it('uploads a chosen folder with what is in it', async (t) => {
    const { page, panel } = await openFiles(t);
    const path = await fileOf(t, 10);
    await page.getByRole('button', { name: 'More ways to upload' }).first().click();
    await checkLooks(page, 'upload-ways');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Upload a folder' }).click();
    await (await chooser).setFiles(dirname(path));

    await panel.getByText('1 file uploaded').waitFor();
    await page.getByRole('link', { name: basename(dirname(path)) }).click();
    await page.getByRole('button', { name: 'film.bin', exact: true }).waitFor();
  });

  it('asks once what to do with all taken names', async (t) => {
    const { page, panel } = await openFiles(t);
    const files = [text('a.txt'), text('b.txt')];
    await drop(page, files);
    await panel.getByText('2 files uploaded').waitFor();
    const dialog = page.getByRole('dialog', { name: '2 files exist already' });

    await drop(page, [...files, text('c.txt')]);
    await dialog.waitFor();
    await page.getByRole('button', { name: 'c.txt', exact: true }).waitFor();
    await checkLooks(page, 'upload-names-taken');
    await wide(page);
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await panel.getByText('Skipped').first().waitFor();

    await drop(page, files);
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await panel.getByText('5 files uploaded').waitFor();
    await drop(page, files);
    await dialog.getByRole('button', { name: 'Keep both' }).click();

    await page.getByRole('button', { name: 'a (2).txt', exact: true }).waitFor();
    await page.getByRole('button', { name: 'b (2).txt', exact: true }).waitFor();
  });

  it('cancels one upload, or all, and leaves nothing behind', async (t) => {
    const { page, panel } = await openFiles(t);
    await limitUpload(page, 20_000);

    await drop(page, [text('big.bin', 3_000_000), text('other.bin', 3_000_000), text('last.bin')]);
    await panel.getByRole('button', { name: 'Cancel the upload of big.bin' }).click();
    await panel.getByText('Cancelled').waitFor();
    await panel.getByText(/KB\/s · .* left/).waitFor();
    await checkLooks(page, 'upload-panel');
    await wide(page);
    await panel.getByRole('button', { name: 'Cancel the upload of other.bin' }).click();
    await page.getByText('1 file uploaded').waitFor();
    await drop(page, [text('1.bin', 3_000_000), text('2.bin', 3_000_000)]);
    await panel.getByRole('button', { name: 'Cancel all' }).click();

    await panel.getByText('Cancelled').nth(3).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'last.bin', exact: true }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
  });

  it('tries failed uploads again', async (t) => {
    const { page, panel } = await openFiles(t);
    // Not a failure of the network: the uploader repeats a request for a minute after those.
    const json = { detail: 'Something went wrong on our side.', error_id: 'e' };
    await page.route('**/cogs/uploads/batch', (route) => route.fulfill({ status: 500, json }), {
      times: 1,
    });

    await drop(page, [text('a.txt'), text('b.txt')]);
    await panel.getByText('Something went wrong on our side').first().waitFor();
    await checkLooks(page, 'upload-failed');
    await panel.getByRole('button', { name: 'Try all again' }).click();

    await panel.getByText('2 files uploaded').waitFor();
  });

  it('pauses and resumes a large file, also after a reload', async (t) => {
    const { server, admin, page, panel } = await openFiles(t);
    const path = await fileOf(t, large_bytes);
    const lift = await limitUpload(page, 2_000_000);

    await choose(page, 'Upload', path);
    await panel.getByRole('button', { name: 'Pause the upload of film.bin' }).click();
    await panel.getByText('1 upload paused').waitFor();
    await panel.getByRole('button', { name: 'Resume the upload of film.bin' }).click();
    await panel.getByText(/^Uploading 1 file/).waitFor();
    await panel.getByRole('button', { name: 'Pause the upload of film.bin' }).click();

    await page.reload();
    await panel.getByText('Choose the file again').waitFor();
    await checkLooks(page, 'upload-after-reload');
    await wide(page);
    await choose(page, 'Choose file film.bin', await fileOf(t, large_bytes - 1));
    await panel.getByText('This is another file').waitFor();
    await lift();
    await choose(page, 'Choose file film.bin', path);
    await panel.getByText('1 file uploaded').waitFor();

    await page.getByRole('button', { name: 'film.bin', exact: true }).waitFor();
    const begun = await server.services.db`
      select state, file_size from uploads where tenant_id = ${admin.user.tenant_id}
    `;
    assert.deepEqual([...begun], [{ state: 'done', file_size: large_bytes }]);
  });
});
