import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { nextOf, pages } from '../../../test/pages.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent
type Row = any;

describe('what uses a node definition', () => {
  it('are the latest and the published version of each workflow, newest first', async () => {
    const { owner, admin } = await cast();
    const [used, other] = [await registerNode(owner), await registerNode(owner)];
    const make = async (name: string, definition: number) =>
      (await owner.post('/workflows', { name, graph: mappedGraph(definition) })).body;
    const first = await make('First', used);
    await make('Other', other);
    await owner.post(`/workflows/workflow-versions/${first.latest_version_id}/publish`);
    const draft = (
      await owner.post(`/workflows/${first.id}/versions`, { graph: mappedGraph(used) })
    ).body;
    const gone = await make('Gone', used);
    await owner.delete(`/workflows/${gone.id}`);

    const { body } = await admin.get(`/node_definitions/${used}/uses?with_total=true`);

    assert.deepEqual(body, [
      {
        workflow_id: first.id,
        workflow_name: 'First',
        workflow_version_id: draft.id,
        version_number: 2,
        state: 'draft',
        is_published: false,
        node_count: 1,
      },
      {
        workflow_id: first.id,
        workflow_name: 'First',
        workflow_version_id: first.latest_version_id,
        version_number: 1,
        state: 'published',
        is_published: true,
        node_count: 1,
      },
    ]);
    const one = await admin.get(`/node_definitions/${used}/uses?limit=1&with_total=true`);
    assert.equal(one.headers.get('x-total-count'), '2');
    assert.deepEqual((await pages(admin, `/node_definitions/${used}/uses?limit=1`)).flat(), body);
  });

  it('is of the own tenant, and unknown of a definition that one may not see', async () => {
    const [mine, theirs] = [await cast(), await cast()];
    const definition = await registerNode(mine.owner);
    await mine.owner.post('/workflows', { name: 'Mine', graph: mappedGraph(definition) });

    const answer = await theirs.owner.get(`/node_definitions/${definition}/uses`);

    assert.equal(answer.status, 404);
  });

  it('goes on after a page without a row, if it had read much', async () => {
    const { owner, server } = await cast();
    const [used, other] = [await registerNode(owner), await registerNode(owner)];
    await owner.post('/workflows', { name: 'Found', graph: mappedGraph(used) });
    const { body } = await owner.post('/workflows', { name: 'Much', graph: mappedGraph(other) });
    await server.services.db`
      with copies as (
        insert into workflows (tenant_id, name, created_by)
        select tenant_id, 'Copy', created_by
        from workflows, generate_series(1, 600)
        where id = ${body.id}
        returning id, tenant_id
      ),
      versions as (
        insert into workflow_versions
          (tenant_id, workflow_id, version_number, graph, graph_hash, logic_hash, created_by)
        select copies.tenant_id, copies.id, 1, graph, graph_hash, logic_hash, created_by
        from copies, workflow_versions
        where workflow_versions.id = ${body.latest_version_id}
        returning id, workflow_id
      )
      select count(*) from versions
    `;
    await server.services.db`
      update workflows set latest_version_id = workflow_versions.id
      from workflow_versions
      where workflow_id = workflows.id and workflows.name = 'Copy'
    `;
    const path = `/node_definitions/${used}/uses`;

    const first = await owner.get(path);

    assert.deepEqual(first.body, []);
    const second = await owner.get(nextOf(first.headers) ?? '');
    assert.deepEqual(
      second.body.map((row: Row) => row.workflow_name),
      ['Found'],
    );
    assert.equal(nextOf(second.headers), undefined);
  });
});
