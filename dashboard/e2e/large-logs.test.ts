/** A log of a million lines, higher than browsers draw. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, run, stage, versionOf } from '../../server/test/runs.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import type { Order } from '../../server/test/worker.ts';
import { mappedGraph, registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

/** The error is far from the end: it is shown before all lines have arrived. */
const log = `${'fine\n'.repeat(50_000)}error: bad\n${'fine\n'.repeat(949_999)}`;
const piece = 250_000;

describe('the log of a failed step', { skip: withoutBrowser }, () => {
  it('opens at its first error, and counts what is found, however long it is', async (t) => {
    const { owner, admin, server, worker } = await stage();
    const version = await versionOf(admin, mappedGraph(await registerNode(admin)));
    const started = await run(admin, version, { cog_ids: await filesOf(admin, 'a.txt') });
    const [order] = (await worker.acquire(1)) as [Order];
    for (let at = 0; at < log.length; at += piece) {
      const { status } = await worker.log(order, at, log.slice(at, at + piece));
      assert.ok(status < 300, `${status}`);
    }
    await worker.fail(order);
    const page = await openPage(t, { reducedMotion: 'reduce' });
    const person = await userWithPassword(server, owner.user.tenant_id);
    const path = `/runs/${started.body.workflow_run_id}?cell=each:0`;
    await signInto(page, server, person, path);

    await page.getByText('1,000,000 lines').waitFor();
    const lines = page.getByRole('region', { name: 'Log' });
    await lines.getByText('error: bad').waitFor();
    await page.getByLabel('Find in the log').fill('FINE');
    await page.getByText('1 of 999,999 lines').waitFor();
  });
});
