/** The catalogue of steps: found by name and type, made, versioned and tried in the browser alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

const password = 'correct horse battery';
const desktop = { width: 1280, height: 800 };

/** Two steps of the organization, one of them in a workflow. */
async function withSteps() {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  await storeCredentials(admin);
  const resize = await registerNode(admin, {
    name: 'resize',
    title: 'Resize pictures',
    description: 'Makes pictures smaller, so that they can be sent by mail.',
    category: 'Pictures',
    command: [
      'convert',
      '{{inputs.picture.path}}',
      '-resize',
      '{{params.width}}',
      '{{file.stem}}.jpg',
    ],
    inputs: [{ name: 'picture', cardinality: 'one', media_types: ['image/*'] }],
    outputs: [{ name: 'small', glob: '*.jpg', cardinality: 'one' }],
    params: {
      type: 'object',
      properties: {
        width: { type: 'integer', default: 280, minimum: 1, description: 'In pixels.' },
        mode: { type: 'string', enum: ['fit', 'fill'], default: 'fit' },
      },
      additionalProperties: false,
    },
  });
  await registerNode(admin, {
    name: 'text-of-pdf',
    title: 'Text of PDFs',
    inputs: [{ name: 'pdf', cardinality: 'one', media_types: ['application/pdf'] }],
    outputs: [{ name: 'text', glob: '*.txt', cardinality: 'one', media_type: 'text/plain' }],
  });
  const graph = mappedGraph(resize);
  graph.edges = [{ from: { input: 'files' }, to: { node: 'each', port: 'picture' } }];
  await admin.post('/workflows', { name: 'Pictures for the web', graph });
  await admin.upload('beach.jpg', 'a beach', undefined, 'image/jpeg');
  const worker = await scriptedWorker(server, admin.user.tenant_id);
  return { server, admin, worker };
}

describe('the catalogue of steps', { skip: withoutBrowser }, () => {
  it('finds steps by name and type, and tells of each what it sees and who uses it', async (t) => {
    const { server, admin, worker } = await withSteps();
    const page = await openPage(t, { reducedMotion: 'reduce' });
    await signInto(page, server, { email: admin.user.email, password }, '/workflows');
    await page.getByRole('link', { name: 'Steps' }).click();
    const cards = page.getByRole('main').getByRole('listitem');

    await t.test('by "takes pdf", which the address keeps', async () => {
      await cards.filter({ hasText: 'Resize pictures' }).waitFor();
      await checkLooks(page, 'catalogue');
      await page.setViewportSize(desktop);
      await page.getByLabel('Search steps').fill('takes pdf');
      await page
        .getByText(/^1 of \d+ steps$/)
        .or(page.getByText('Text of PDFs'))
        .first()
        .waitFor();
      await page.waitForURL(/q=takes(\+|%20)pdf/);
      await cards.filter({ hasText: 'Resize pictures' }).waitFor({ state: 'detached' });
      await page.getByLabel('Search steps').fill('resize');
    });

    await t.test('and shows its ports, the container, and the workflows that use it', async () => {
      await cards.filter({ hasText: 'Resize pictures' }).getByRole('link').click();
      await page.getByRole('heading', { name: 'Resize pictures' }).waitFor();
      await page.getByText('Whole number, at least 1, usually 280').waitFor();
      await page
        .getByLabel('Command of the container')
        .getByText('/data/inputs/picture/example.jpg')
        .waitFor();
      await page.getByRole('link', { name: 'Pictures for the web' }).waitFor();
      await checkLooks(page, 'step');
      await page.setViewportSize(desktop);
    });

    await t.test('of which the next version is registered by a form', async () => {
      await page.getByRole('link', { name: 'New version' }).click();
      await page.getByRole('heading', { name: 'New version of Resize pictures' }).waitFor();
      await page.getByRole('button', { name: 'Register version 2' }).waitFor();
      // The example follows what one types.
      const settings = page.getByRole('region', { name: 'Settings' });
      await settings.getByRole('button', { name: 'Add a setting' }).click();
      await page.keyboard.type('quality');
      await page.getByLabel('Environment of the container').getByText('PARAM_QUALITY').waitFor();
      await page.getByRole('textbox', { name: 'Argument 3' }).press('Enter');
      await page.keyboard.type('{{params.qualty}}');
      await page.getByText('{{params.qualty}} refers to nothing.').waitFor();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('{{params.quality}}');
      await page.getByLabel('Cpus').fill('many');
      await page.getByRole('button', { name: 'Register version 2' }).click();
      await page.getByText('One field is not right yet.').waitFor();
      assert.equal(await page.getByLabel('Cpus').getAttribute('aria-invalid'), 'true');
      await checkLooks(page, 'step that is refused');
      await page.setViewportSize(desktop);

      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.getByText('What you typed is not kept.').waitFor();
      await page.getByRole('button', { name: 'Stay' }).click();
      await page.getByLabel('Cpus').fill('0.5');
      await page.getByRole('button', { name: 'Register version 2' }).click();
      await page.getByRole('heading', { name: 'Resize pictures' }).waitFor();
      await page.getByText('No workflow uses this version.').waitFor();
      await page.getByRole('link', { name: 'Version 1', exact: true }).click();
      await page.getByRole('link', { name: 'Pictures for the web' }).waitFor();
    });

    await t.test('and is tried on a file: its log, its results, and how long it took', async () => {
      await page.getByRole('link', { name: 'Try it…' }).click();
      const box = page.getByRole('region', { name: 'Try it' });
      await box.getByRole('button', { name: 'Run it' }).click();
      await box.getByText('Choose a file for picture first.').waitFor();
      await box.getByRole('button', { name: 'Choose a file for picture' }).click();
      await page.getByRole('button', { name: 'beach.jpg' }).click();
      await page.getByRole('button', { name: 'Choose', exact: true }).click();
      await box.getByRole('textbox', { name: 'Width' }).fill('0');
      await box.getByText(/It must be/).waitFor();
      await box.getByRole('textbox', { name: 'Width' }).fill('120');
      await box.getByRole('button', { name: 'Run it' }).click();
      await box.getByText('Queued').waitFor();

      const [order] = await worker.acquire();
      assert.deepEqual(order?.params, { width: 120, mode: 'fit' });
      await worker.started(order);
      await box.getByText('Running').waitFor();
      await worker.log(order, 0, '\u001b[32m1 picture\u001b[0m resized\n');
      await box.getByText('1 picture resized').waitFor();
      const markup = '<img src="x" onerror="document.title = 1">';
      await worker.log(order, 27, `${markup}\n`);
      await box.getByText(markup).waitFor();
      assert.equal(await box.getByRole('region', { name: 'Log' }).locator('img').count(), 0);
      await box.getByLabel('Find in the log').fill('RESIZED');
      await box.getByText('1 of 1 line').waitFor();
      await worker.succeed(order, [{ port: 'small', name: 'beach.txt', text: 'smaller' }]);
      await box.getByText(/^took /).waitFor();
      await box.getByText('smaller').waitFor();
      await checkLooks(page, 'step that was tried');
      await page.setViewportSize(desktop);
      assert.match(page.url(), /try=true/);
      // That it was tried is no use of it.
      await page.reload();
      await page.getByRole('link', { name: 'Pictures for the web' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Tried steps' }).count(), 0);
    });

    await t.test('and a new one is made from nothing', async () => {
      await page.goto(`${server.url}/app/workflows/catalogue/new`);
      await page.getByLabel('Name').first().fill('count-words');
      await page.getByRole('textbox', { name: 'Image' }).fill('registry.example/tools:1.2');
      await page.getByText(/a digest fixes it/).waitFor();
      await page.getByRole('textbox', { name: 'Program' }).fill('wc');
      await page.getByRole('textbox', { name: 'Program' }).press('Enter');
      await page.keyboard.type('-w');
      await page.keyboard.press('Enter');
      await page.keyboard.type('{{inputs.file.path}}');
      await page.getByText('JSON Schema').click();
      await page.getByLabel('JSON Schema of the settings').waitFor();
      await checkLooks(page, 'new step');
      await page.setViewportSize(desktop);
      await page.getByRole('button', { name: 'Register the step' }).click();
      await page.getByRole('heading', { name: 'count-words' }).waitFor();
      await page.getByText('It has no settings.').waitFor();
      const { body } = await admin.get('/node_definitions/?q=count-words');
      assert.deepEqual(body[0].command, ['wc', '-w', '{{inputs.file.path}}']);
    });
  });
});
