import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInByForm, withoutBrowser } from './browser.ts';

describe('signing in with the browser', { skip: withoutBrowser }, () => {
  it('ends on the dashboard, also after Back', async (t) => {
    const { server, admin } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t);
    await signInByForm(page, server, person, '/settings/api-keys');
    await page.getByText('No API keys yet').waitFor();

    const answers: number[] = [];
    page.on('response', (response) => answers.push(response.status()));
    await page.goBack();

    await page.waitForURL(`${server.url}/app/**`);
    await page.getByText('This folder is empty').waitFor();
    assert.deepEqual(
      answers.filter((status) => status >= 400),
      [],
    );
  });
});
