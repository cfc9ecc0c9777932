/** What a run may spend: asked at its start, told when it was too little, and asked again. */
import { it } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { creditStage } from '../../server/test/credits.ts';
import { filesOf } from '../../server/test/runs.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

const password = 'correct horse battery';

it('a run stops at its own limit, says so, and is restarted with a higher one', {
  skip: withoutBrowser,
}, async (t) => {
  const { server, owner, worker, version, ranFor } = await creditStage(100);
  await setPassword(server.services.db, owner.user.id, password, { must_change: false });
  // Its five minutes cost five credits.
  const id = await version(1);
  const { body } = await owner.get(`/workflows/workflow-versions/${id}`);
  const files = await filesOf(owner, 'one.txt', 'two.txt');

  const page = await openPage(t);
  const start = `/runs/new?workflow=${body.workflow_id}&files=${files.join()}`;
  await signInto(page, server, { email: owner.user.email, password }, start);
  const limit = page.getByLabel('Credits at most');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await limit.fill('4,5');
  await button('Start run').click();
  await page.getByText('5 credits to start').waitFor();
  await limit.fill('6');
  await button('Start run').click();
  await page.getByText('of at most 6 credits spent').waitFor();

  const [order] = await worker.acquire();
  await worker.started(order);
  await ranFor(order, 4);
  await worker.succeed(order);
  await worker.acquire();
  await page.getByText('The run may spend at most 6 credits.').waitFor();

  await button('Restart what failed').click();
  await page.getByRole('dialog').getByLabel('Credits at most').fill('20');
  await page.getByRole('dialog').getByRole('button', { name: 'Restart what failed' }).click();
  await page.getByText('of at most 20 credits spent').waitFor();
});
