/** A server that is killed while it sends a notice: the message is sent again, as the same one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../cast.ts';
import { ended } from '../installation.ts';
import { notice, receiversAllowed } from '../notices.ts';
import { isSignedBy, receiver, status } from '../receivers.ts';
import { run, versionOf } from '../runs.ts';
import { until } from '../until.ts';
import { mappedGraph, registerNode, storeCredentials } from '../workflows.ts';
import { openForSeveral } from './several-servers.ts';

describe('a server that is killed after it has sent a notice and before it has noted that', () => {
  it('leaves it to another one, which sends it under the same id', async () => {
    const { db, start, adminAt } = await openForSeveral(receiversAllowed);
    const first = await start();
    const [admin] = (await adminAt([first])) as [Client];
    const place = await receiver(null);
    const made = await notice(admin, place.url);
    await storeCredentials(admin);
    const version = await versionOf(admin, mappedGraph(await registerNode(admin)));
    const file = (await admin.upload('a.txt', 'bytes')).body.id;
    const { workflow_run_id } = (await run(admin, version, { cog_ids: [file] })).body;
    await admin.post(`/workflows/workflow-runs/${workflow_run_id}/cancel`, {});
    await until('it is being sent', () => place.received.length === 1 || undefined);

    await ended(first.process, 'SIGKILL');
    place.answer = status(204);
    const second = await start();
    // As if the lease had ended.
    await db`update notice_deliveries set leased_until = now() - interval '1 second'`;
    await until('it is sent again', () => place.received.length === 2 || undefined);

    const [sent, again] = place.received;
    assert.equal(sent?.headers['webhook-id'], again?.headers['webhook-id']);
    assert.equal(again?.content.data.workflow_run_id, workflow_run_id);
    assert.ok(again && isSignedBy(made.secret, again));
    await until('it is noted', async () => {
      const rows = await db`select from notice_deliveries where state = 'delivered'`;
      return rows.length === 1 || undefined;
    });
    assert.equal(place.received.length, 2);
    await ended(second.process, 'SIGTERM');
  });
});
