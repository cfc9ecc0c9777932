import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, look, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('the name of an output', () => {
  it('is the one the program gave it, and the node run says what could not be kept', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b') });
    const [first, second] = await worker.acquire();
    await worker.succeed(first, [{ port: 'out', name: '-dash (1).txt', text: 'x' }]);
    const [uploaded] = await worker.upload(second, [{ port: 'out', name: 'two_lines', text: 'x' }]);
    const outputs = [{ ...uploaded, renamed_from: 'two\\x0alines' }];
    await worker.complete(second, { status: 'success', exit_code: 0, outputs });

    const names = (of: Order) =>
      of.node_runs.map(({ outputs: [output] }: Order) => [output.name, output.renamed_from]);
    const ended = await look(owner, body.workflow_run_id);
    const expected = [
      ['-dash (1).txt', undefined],
      ['two_lines', 'two\\x0alines'],
    ];
    assert.deepEqual(names(ended), expected);
    const results = ended.run_files.filter((file: Order) => file.direction === 'output');
    assert.deepEqual(results.map((file: Order) => file.name).sort(), [
      '-dash (1).txt',
      'two_lines',
    ]);

    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;
    const again = (await owner.post(path, { mode: 'failed' })).body.workflow_run_id;
    assert.deepEqual(names(await look(owner, again)), expected, 'also where it was taken over');
  });
});
