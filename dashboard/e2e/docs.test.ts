import { describe, it } from 'node:test';
import { testServer } from '../../server/test/server.ts';
import { openPage, withoutBrowser } from './browser.ts';

describe('the API pages in the browser', { skip: withoutBrowser }, () => {
  it('list the operations', async (t) => {
    const { url } = await testServer();
    const page = await openPage(t);
    await page.goto(`${url}/docs`);

    await page.getByText('Rename or move a cog').first().waitFor();
  });
});
