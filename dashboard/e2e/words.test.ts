/** The messages of screens if something is missing, waits or was skipped. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { filesOf, gatherGraph, run, stage, versionOf } from '../../server/test/runs.ts';
import { mappedGraph, registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

async function signedIn(t: TestContext) {
  const { server, admin, worker } = await stage();
  const password = 'correct horse battery';
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const page = await openPage(t, { reducedMotion: 'reduce' });
  await signInto(page, server, { email: admin.user.email, password });
  return { page, admin, worker, go: (path: string) => page.goto(`${server.url}/app${path}`) };
}

describe('the words of the screens', { skip: withoutBrowser }, () => {
  it('say what is not there, and offer nothing to do with it, nor a second try', async (t) => {
    const { page, go } = await signedIn(t);
    for (const [path, words] of [
      ['/files/999999', 'There is no such file or folder, or you may not see it.'],
      ['/runs/999999', 'There is no such run.'],
      ['/workflows/999999', 'There is no such workflow.'],
      ['/triggers/999999', 'There is no such trigger.'],
      ['/workflows/catalogue/999999', 'There is no such node definition.'],
      ['/runs/abc', 'There is nothing here'],
      ['/files/0', 'There is nothing here'],
    ] as const) {
      await go(path);
      await page.getByText(words).first().waitFor();
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, path);
      const offers = page.getByRole('link', { name: /^(Run…|Edit|New version|Try it…)$/ });
      assert.equal(await offers.count(), 0, path);
    }
  });

  it('offer a second try when the network failed', async (t) => {
    const { page, go } = await signedIn(t);
    await page.route('**/workflows/?*', (route) => route.abort());
    await go('/workflows');
    await page.getByText('The server cannot be reached.').waitFor();

    await page.unroute('**/workflows/?*');
    await page.getByRole('button', { name: 'Try again' }).click();

    await page.getByText('No workflows yet').waitFor();
  });

  it('say that the server cannot be reached while the browser is offline', async (t) => {
    const { page } = await signedIn(t);
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Letters');
    // Later, because the dialog itself is loaded when it opens.
    await page.context().setOffline(true);
    await page.keyboard.press('Enter');
    await page.getByText('The server cannot be reached.').waitFor();

    await page.context().setOffline(false);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Letters' }).waitFor();
  });

  it('name a fault beside its field without the name of the field', async (t) => {
    const { page } = await signedIn(t);
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('a/b');
    await page.keyboard.press('Enter');
    await page.getByText('A name must not contain "/".', { exact: true }).waitFor();
  });

  it('say why a step waits, and why one was left out', async (t) => {
    const { page, admin, worker, go } = await signedIn(t);
    const version = await versionOf(admin, await gatherGraph(admin));
    const started = await run(admin, version, { cog_ids: await filesOf(admin, 'a.txt') });

    await go(`/runs/${started.body.workflow_run_id}`);
    const once = page.getByRole('row').filter({ hasText: 'Once for all files' });
    await once.getByRole('gridcell').last().click();
    await page.getByText('An earlier step is not done yet').waitFor();
    await worker.work((order) => worker.fail(order));
    await page.getByText('Left out, because an earlier step failed.').waitFor();

    await t.test('and which secret is missing, with the way to it', async () => {
      const image = 'registry.example/tools:1';
      const graph = mappedGraph(await registerNode(admin, { image }));
      const { body } = await admin.post('/workflows', { name: 'Elsewhere', graph });
      const [file] = await filesOf(admin, 'b.txt');
      await go(`/runs/new?workflow=${body.id}&version=${body.latest_version_id}&files=${file}`);
      await page.getByRole('button', { name: 'Start run' }).click();
      await page.getByText('no credentials for the registry at registry.example').waitFor();
      await page.getByRole('link', { name: 'Go to the secrets' }).click();
      await page.waitForURL('**/settings/secrets');
    });
  });
});
