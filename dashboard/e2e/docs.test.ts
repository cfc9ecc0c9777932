import { describe, it } from 'node:test';
import { testServer } from '../../server/test/server.ts';
import { openPage, withoutBrowser } from './browser.ts';

describe('the API pages in the browser', { skip: withoutBrowser }, () => {
  it('list the operations', async (t) => {
    const { url } = await testServer();
    const page = await openPage(t);
    await page.goto(`${url}/docs`);
    await page.getByText('Create an API key').first().waitFor();

    // Only what is in sight is drawn.
    const wanted = page.getByText('Rename or move a cog').first();
    for (let screens = 0; screens < 100 && (await wanted.count()) === 0; screens += 1) {
      await page.mouse.wheel(0, 300);
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
    }
    await wanted.waitFor();
  });
});
