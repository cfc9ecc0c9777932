import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextCursor } from '@cogworks/sdk/pages';
import type { Client } from '../../../test/cast.ts';
import { filesOf, folderOfFiles, look, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

/** All pages of a list. */
async function pagesOf(client: Client, path: string): Promise<Order[][]> {
  const pages: Order[][] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body, headers } = await client.get(`${path}${cursor && `&cursor=${cursor}`}`);
    pages.push(body);
    cursor = nextCursor(headers.get('link'));
  }
  return pages;
}

const statuses = (files: Order[]) => files.map(({ status }) => status);

describe('the files of a run', () => {
  it('come with it as far as 1,000, and all of them in pages, with what became of their lanes', async () => {
    const { owner, worker, server } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const cog_ids = [await folderOfFiles(server, owner, 1120)];
    const id = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    const path = `/workflows/workflow-runs/${id}/files`;
    const [first, second, third] = await worker.acquire(4);
    await worker.succeed(first);
    await worker.fail(second);
    await worker.started(third);

    const shown = await look(owner, id);
    const pages = await pagesOf(owner, `${path}?limit=500`);
    await owner.post(`/workflows/workflow-runs/${id}/cancel`, {});
    const after = (await owner.get(`${path}?direction=input&offset=1118`)).body;

    assert.deepEqual(shown.run_files_total, { input: 1120, output: 1 });
    assert.equal(shown.run_files.length, 1001);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [500, 500, 121],
    );
    const files = pages.flat();
    assert.deepEqual(files.slice(0, 1000), shown.run_files.slice(0, 1000));
    assert.deepEqual(files.slice(1120), shown.run_files.slice(1000));
    assert.deepEqual(
      files.slice(0, 1120).map(({ name }) => name),
      Array.from({ length: 1120 }, (_, at) => `${`${at + 1}`.padStart(6, '0')}.txt`),
    );
    const [one, two, ...others] = statuses(files.slice(0, 1120));
    assert.deepEqual([one, two], ['success', 'failure']);
    assert.equal(files[1].error_message, 'each: exit code 1');
    assert.deepEqual(others.slice(0, 2), ['processing', 'processing']);
    assert.ok(others.slice(2).every((status) => status === 'pending'));
    assert.deepEqual(statuses(after), ['cancelled', 'cancelled']);
  });

  it('that came out are told in the order they came, and counted', async () => {
    const { owner, worker } = await stage();
    const all = await registerNode(owner, {
      inputs: [{ name: 'in', cardinality: 'many' }],
      outputs: [{ name: 'out', glob: '*', cardinality: 'many' }],
    });
    const version = await versionOf(owner, {
      nodes: [{ key: 'all', node_definition_id: all }],
      edges: [{ from: { input: 'files' }, to: { node: 'all', port: 'in' } }],
      inputs: [{ name: 'files' }],
      variables: [],
    });
    const cog_ids = await filesOf(owner, 'a', 'b');
    const id = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    const path = `/workflows/workflow-runs/${id}/files`;
    const [order] = await worker.acquire();
    const before = await look(owner, id);
    const names = Array.from({ length: 501 }, (_, at) => `${at}.txt`);
    await worker.succeed(
      order,
      names.map((name) => ({ port: 'out', name, text: name })),
    );

    const shown = await look(owner, id);
    const pages = await pagesOf(owner, `${path}?limit=200`);
    const outputs = (await pagesOf(owner, `${path}?direction=output&limit=400`)).flat();
    const { headers } = await owner.get(`${path}?direction=output&limit=1&with_total=true`);

    assert.equal(before.run_files_total, undefined);
    assert.deepEqual(statuses(before.run_files), ['processing', 'processing']);
    assert.equal(shown.run_files_total, undefined);
    assert.deepEqual(
      pages.flat().map(({ name }) => name),
      ['a', 'b', ...names],
    );
    assert.deepEqual(statuses(pages.flat().slice(0, 2)), ['success', 'success']);
    assert.deepEqual(shown.run_files, pages.flat());
    assert.deepEqual(outputs, pages.flat().slice(2));
    assert.equal(headers.get('x-total-count'), '501');
  });

  it('share the fate of the whole run where no node runs once for each of them', async () => {
    const { owner, worker } = await stage();
    const all = await registerNode(owner, { inputs: [{ name: 'in', cardinality: 'many' }] });
    const version = await versionOf(owner, {
      nodes: [{ key: 'all', node_definition_id: all }],
      edges: [{ from: { input: 'files' }, to: { node: 'all', port: 'in' } }],
      inputs: [{ name: 'files' }],
      variables: [],
    });
    const cog_ids = await filesOf(owner, 'a');
    const id = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    const waiting = await look(owner, id);
    const [order] = await worker.acquire();
    await worker.fail(order);

    assert.deepEqual(statuses(waiting.run_files), ['pending']);
    const [file] = (await look(owner, id)).run_files;
    assert.deepEqual([file.status, file.error_message], ['failure', 'all: exit code 1']);
  });
});
