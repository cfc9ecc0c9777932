import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  filesOf,
  folderOfFiles,
  gatherGraph,
  look,
  run,
  type Stage,
  stage,
  versionOf,
} from '../../server/test/runs.ts';
import type { Order } from '../../server/test/worker.ts';
import { mappedGraph, registerNode } from '../../server/test/workflows.ts';
import { type Ended, type Program, programOf, type Running } from './program.ts';

type Scene = Stage & { cli: Program };

async function scene(): Promise<Scene> {
  const people = await stage();
  return { ...people, cli: await programOf(people.server.url, people.owner) };
}

/** Lets the worker run all attempts until the program has ended. */
async function played(
  { worker }: Stage,
  running: Running,
  play?: (order: Order) => Promise<unknown>,
): Promise<Ended> {
  let hasEnded = false;
  const working = (async () => {
    while (!hasEnded) {
      await worker.work(play);
      // Asked without a pause, the server would have time for nothing else.
      await setTimeout(50);
    }
  })();
  const ended = await running.ended.finally(() => {
    hasEnded = true;
  });
  await working;
  return ended;
}

async function workflow({ owner }: Stage, name: string, over: Record<string, unknown> = {}) {
  const graph = { ...mappedGraph(await registerNode(owner)), ...over };
  const { status, body } = await owner.post('/workflows', { name, graph });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

describe('cogworks run', () => {
  it('uploads, runs, and saves the results', async () => {
    const the = await scene();
    const { owner, cli } = the;
    await workflow(the, 'Clean scans');
    await owner.upload('there.txt', 'there already');
    await writeFile(join(cli.dir, 'here.txt'), 'of this machine');

    const args = ['run', 'Clean scans', 'here.txt', '/there.txt', '--into', 'results'];
    const { code, answer, said } = await played(the, cli.start(...args));

    assert.equal(code, 0, said);
    assert.match(
      said,
      /✓ Upload here\.txt[\s\S]*✓ Run \d+ of “Clean scans”[\s\S]*100\.0 % {2}each 2 of 2\n/,
    );
    assert.match(answer, /^success {2}after [\d.]+ s\n2 inputs, 2 succeeded\n2 outputs\n/);
    assert.match(answer, /2 of 2 outputs saved in \S+\/results\n$/);
    const saved = await readdir(join(cli.dir, 'results'));
    const texts = saved.map((name) => readFile(join(cli.dir, 'results', name), 'utf8'));
    assert.deepEqual((await Promise.all(texts)).sort(), ['each 0', 'each 1']);
  });

  it('ends with 3 and the reason when some of it failed, as JSON too', async () => {
    const the = await scene();
    const { owner, cli } = the;
    const { id } = await workflow(the, 'Half');
    await filesOf(owner, 'bad.txt', 'good.txt');
    const play = (order: Order) => {
      if (order.shard_index === 1) return the.worker.succeed(order);
      const error_message = 'exit code 1: \x1b[31mno\ntext';
      return the.worker.fail(order, { exit_code: 1, error_class: 'exit_nonzero', error_message });
    };

    const words = await played(the, cli.start('run', String(id), '/bad.txt', '/good.txt'), play);
    assert.equal(words.code, 3, words.said);
    assert.match(words.answer, /^partial_success {2}1 of 2 files failed/);
    assert.match(words.answer, / {2}bad\.txt {2}failure\n {4}each: exit code 1: no text\n/);

    const started = cli.start('run', 'Half', '/bad.txt', '/good.txt', '--json');
    const { code, answer } = await played(the, started, play);
    assert.equal(code, 3);
    const ended = JSON.parse(answer);
    assert.equal(ended.status, 'partial_success');
    assert.deepEqual(await readdir(join(cli.dir, `run-${ended.id}`)), ['result.txt']);
    assert.equal(ended.saved[0].path, join(cli.dir, `run-${ended.id}`, 'result.txt'));
  });

  it('ends with 1 when the run failed, and tells what was about no single file', async () => {
    const the = await scene();
    const { owner, cli } = the;
    await owner.post('/workflows', { name: 'Gather', graph: await gatherGraph(owner) });
    await filesOf(owner, 'a.txt');

    const { code, answer, said } = await played(
      the,
      cli.start('run', 'Gather', '/a.txt'),
      (order) => (order.node_key === 'each' ? the.worker.succeed(order) : the.worker.fail(order)),
    );

    assert.equal(code, 1, said);
    assert.match(answer, /^failure {2}/);
    assert.match(answer, /\n {2}gather: exit code 1\n0 outputs\n/);
    assert.deepEqual(await readdir(cli.dir), []);
  });

  it('starts the published version, with variables in their types', async () => {
    const the = await scene();
    const { owner, cli } = the;
    const variables = [
      { variable_name: 'width', type: 'integer', required: true },
      { variable_name: 'ratio', type: 'number' },
      { variable_name: 'deep', type: 'boolean' },
      { variable_name: 'mode', type: 'enum', enum: ['fast', 'good'] },
      { variable_name: 'title', type: 'string', default: 'none' },
    ];
    const { id, latest_version_id } = await workflow(the, 'Typed', { variables });
    await owner.post(`/workflows/workflow-versions/${latest_version_id}/publish`);
    const graph = mappedGraph(await registerNode(owner));
    await owner.post(`/workflows/${id}/versions`, { graph });
    await filesOf(owner, 'a.txt');

    const wrong = ['width=1.5', 'ratio=much', 'deep=yes', 'mode=bad', 'colour=red'];
    const vars = (...words: string[]) => words.flatMap((word) => ['--var', word]);
    const refused = await cli.run('run', 'Typed', '/a.txt', ...vars(...wrong));
    assert.equal(refused.code, 2);
    assert.match(refused.said, /width is a whole number, not “1\.5”/);
    assert.match(
      refused.said,
      /ratio is a number[\s\S]*deep is true or false[\s\S]*one of fast, good/,
    );
    assert.match(refused.said, /no variable colour[\s\S]*title +string, "none" unless given/);
    assert.match((await cli.run('run', 'Typed', '/a.txt')).said, /width is missing: --var width=/);

    const right = ['width=12', 'ratio=0.5', 'deep=true', 'mode=good', 'title=a=b'];
    const started = cli.start('run', 'Typed', '/a.txt', '--json', ...vars(...right));
    const { answer } = await played(the, started);
    const ended = JSON.parse(answer);
    assert.equal(ended.workflow_version_id, latest_version_id);
    assert.deepEqual(ended.extra_variables, {
      ...{ width: 12, ratio: 0.5, deep: true, mode: 'good', title: 'a=b' },
    });
  });

  it('leaves nothing there when it could not start', async () => {
    const the = await scene();
    const { owner, cli } = the;
    const only = { inputs: [{ name: 'files', media_types: ['application/pdf'] }] };
    await workflow(the, 'Only PDF', only);
    await writeFile(join(cli.dir, 'a.txt'), 'no PDF');

    const refused = await cli.run('run', 'Only PDF', 'a.txt');
    assert.equal(refused.code, 1);
    assert.match(refused.said, /✓ Upload a\.txt[\s\S]*The server refused \(422\): .*a\.txt/);
    assert.deepEqual((await owner.get('/cogs/')).body, []);

    const unknown = await cli.run('run', 'Only', 'a.txt');
    assert.match(unknown.said, /no workflow “Only”\. There are:\n {2}\d+ {2}Only PDF/);
    const nowhere = await cli.run('run', 'Only PDF', 'b.txt');
    assert.match(nowhere.said, /no file b\.txt on this machine\. There is no “b\.txt” in \//);
    assert.deepEqual([unknown.code, nowhere.code], [1, 1]);
    const twice = await cli.run('run', 'Only PDF', 'a.txt', './a.txt');
    assert.deepEqual([twice.code, twice.said], [2, 'Two files are called a.txt.\n']);
  });
});

describe('a run that is on its way', () => {
  it('is listed, watched, and goes on when the watching is stopped', async () => {
    const the = await scene();
    const { owner, cli } = the;
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const started = await run(owner, version, { cog_ids: await filesOf(owner, 'a.txt') });
    const id = started.body.workflow_run_id;

    assert.match((await cli.run('runs')).answer, new RegExp(`^${id}  queued .* Test\\n$`));
    assert.deepEqual(await cli.json('runs', '--status', 'success'), []);

    const watching = cli.start('watch', String(id));
    if (watching.child.stderr) await once(watching.child.stderr, 'data');
    watching.child.kill('SIGINT');
    const stopped = await watching.ended;
    assert.deepEqual([stopped.code, stopped.answer], [130, '']);
    assert.match(stopped.said, new RegExp(`cogworks watch ${id} .*cogworks cancel ${id}\\n$`));

    const { code, answer } = await played(the, cli.start('watch', String(id)));
    assert.equal(code, 0);
    assert.match(answer, /^success {2}/);
    assert.equal((await cli.json('runs', '--status', 'success'))[0].id, id);
  });

  it('is told with all of its files, also where they do not come with it', async () => {
    const the = await scene();
    const { owner, cli, server } = the;
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const cog_ids = [await folderOfFiles(server, owner, 1001)];
    const { workflow_run_id } = (await run(owner, version, { cog_ids })).body;
    await owner.post(`/workflows/workflow-runs/${workflow_run_id}/cancel`, {});

    const { code, answer } = await cli.run('watch', String(workflow_run_id));
    const { run_files } = JSON.parse(
      (await cli.run('watch', String(workflow_run_id), '--json')).answer,
    );

    assert.equal(code, 1);
    assert.match(answer, /\n1001 inputs, 0 succeeded\n/);
    assert.equal(run_files.length, 1001);
    assert.ok(run_files.every(({ status }: Order) => status === 'cancelled'));
  });

  it('is cancelled, once', async () => {
    const the = await scene();
    const { owner, stranger, cli } = the;
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const started = await run(owner, version, { cog_ids: await filesOf(owner, 'a.txt') });
    const id = String(started.body.workflow_run_id);

    const theirs = await programOf(the.server.url, stranger);
    assert.match((await theirs.run('cancel', id)).said, /^The server refused \(404\)/);
    assert.equal((await cli.run('cancel', id)).answer, `Run ${id} is cancelled.\n`);
    assert.equal((await look(owner, Number(id))).status, 'cancelled');
    const { code, answer } = await cli.run('watch', id);
    assert.equal(code, 1);
    assert.match(answer, /^cancelled {2}/);
    assert.match((await cli.run('watch', '999999')).said, /^The server refused \(404\)/);
  });
});
