import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readsOf } from '../../../../test/plans.ts';
import { filesOf, look, run, stage, versionOf } from '../../../../test/runs.ts';
import { mappedGraph, registerNode } from '../../../../test/workflows.ts';
import type { OnSend } from '../../../db/connection.ts';

describe('among a hundred thousand files of runs', () => {
  it('provenance is read along keys alone', async () => {
    const { owner, worker, server } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const [id = 0] = await filesOf(owner, 'a');
    const { body } = await run(owner, version, { cog_ids: [id] });
    await worker.work();
    const { run_files } = await look(owner, body.workflow_run_id);
    const result = run_files.find(
      (file: { direction: string }) => file.direction === 'output',
    ).cog_id;
    const { db } = server.services;
    // The same bytes and the same file in very many runs, and very many results of one.
    await db`
      insert into run_files
        (tenant_id, run_id, direction, cog_id, input_name, position, node_run_id, node_key, name,
         media_type, object_id, size_bytes, checksum_sha256, status, version)
      select tenant_id, case direction when 'input' then -n else run_id end, direction,
        case direction when 'input' then cog_id else -n end, input_name, position,
        case when direction = 'output' then -n end, node_key, name, media_type,
        case when direction = 'input' then object_id end, size_bytes, checksum_sha256, status,
        version
      from run_files, generate_series(1, 50000) as n
      where run_id = ${body.workflow_run_id}
    `;
    await db`analyze run_files`;

    const texts = new Set<string>();
    const listener: OnSend = ({ text }) => void texts.add(text);
    server.listeners.add(listener);
    for (const path of ['', '/inputs', '/runs', `/runs/${body.workflow_run_id}/files`])
      assert.equal((await owner.get(`/cogs/${id}/provenance${path}`)).status, 200);
    for (const path of ['', '/inputs', '/runs'])
      assert.equal((await owner.get(`/cogs/${result}/provenance${path}`)).status, 200);
    server.listeners.delete(listener);
    const read = [...texts].filter((text) => !/^(begin|commit)/.test(text));
    const files = await readsOf('run_files', server.to, read);
    const others = await Promise.all(
      ['cogs', 'workflow_runs', 'begun_node_runs', 'workflows', 'workflow_versions'].map((table) =>
        readsOf(table, server.to, read),
      ),
    );

    assert.deepEqual([...new Set(files.map((one) => one['Index Name'] ?? 'all'))].toSorted(), [
      'run_files_by_object',
      'run_files_of_node_run',
      'run_files_tenant_id_run_id_direction_input_name_position_key',
      'run_files_that_went_in',
    ]);
    assert.equal(others.flat().filter((one) => one['Index Name'] === undefined).length, 0);
    // A thousand runs have up to fifty ranges of node runs each: no run looks through those of all.
    assert.deepEqual(await readsOf('range', server.to, read), []);
  });
});
