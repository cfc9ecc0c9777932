import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../server/test/hooks.ts';
import { stage } from '../../server/test/runs.ts';
import { mappedGraph, registerNode } from '../../server/test/workflows.ts';
import { programOf } from './program.ts';

/** A published workflow with two variables, a folder with a file, and their owner at a terminal. */
async function withWorkflow() {
  const people = await stage();
  const { admin, server } = people;
  const variables = [
    { variable_name: 'width', type: 'integer', required: true },
    { variable_name: 'title', type: 'string' },
  ];
  const graph = { ...mappedGraph(await registerNode(admin)), variables };
  const { body: workflow } = await admin.post('/workflows', { name: 'Letters', graph });
  await admin.post(`/workflows/workflow-versions/${workflow.latest_version_id}/publish`);
  const inbox = { name: 'Inbox', cog_type: 'asset_folder' };
  const folder = (await admin.post('/cogs', inbox)).body.id as number;
  const file = (await admin.upload('a.txt', 'a', folder)).body.id as number;
  const cli = await programOf(server.url, admin);
  return { ...people, cli, workflow: workflow.id as number, folder, file };
}

describe('cogworks triggers', () => {
  it('makes a schedule, shows it, turns it off and on, starts it and deletes it', async () => {
    const { cli, admin, workflow, file } = await withWorkflow();

    const created = await cli.run(
      ...['trigger', 'create', 'Scans of the day', '--workflow', 'Letters'],
      ...['--cron', '0 18 * * MON-FRI', '--timezone', 'Europe/Berlin'],
      ...['--file', '/Inbox/a.txt', '--var', 'width=300'],
    );

    assert.equal(created.code, 0, created.said);
    const [, id = ''] =
      /^Trigger (\d+), Scans of the day, starts Letters\n/.exec(created.answer) ?? [];
    assert.match(created.answer, /\nnext \d{4}-\d\d-\d\d \d\d:\d\d\n/);
    const { body: made } = await admin.get(`/workflows/triggers/${id}`);
    assert.deepEqual(
      [made.workflow_id, made.cog_ids, made.extra_variables, made.timezone],
      [workflow, [file], { width: 300 }, 'Europe/Berlin'],
    );
    const listed = await cli.run('triggers', '--workflow', 'Letters');
    assert.match(
      listed.answer,
      /schedule {2}on .*Scans of the day {2}starts Letters {2}next \d{4}-/,
    );
    assert.match((await cli.run('trigger', 'off', id)).answer, /Scans of the day is off/);
    assert.match((await cli.run('triggers')).answer, /schedule {2}off /);
    assert.equal((await cli.json('trigger', 'on', id)).enabled, true);

    const { workflow_run_id } = await cli.json('trigger', 'fire', id);
    const shown = await cli.run('trigger', 'show', id);
    assert.match(shown.answer, /^Scans of the day {2}schedule, on\nstarts Letters\ncron 0 18/);
    assert.equal(shown.answer.match(/^next \d{4}-\d\d-\d\d 18:00$/gm)?.length, 5);
    assert.match(shown.answer, new RegExp(`hand +fired {2}run ${workflow_run_id}\n`));
    assert.equal((await cli.json('trigger', 'show', id)).firings.length, 1);

    assert.match((await cli.run('trigger', 'delete', id)).answer, /is deleted; its runs stay/);
    const gone = await cli.run('trigger', 'show', id);
    assert.deepEqual([gone.code, gone.answer], [1, '']);
    assert.match(gone.said, /The server refused \(404\): There is no such trigger/);
  });

  it('makes a webhook whose messages it lists and delivers again', async () => {
    const { cli, admin, folder } = await withWorkflow();
    const made = await cli.json(
      ...['trigger', 'create', 'Orders', '--workflow', 'Letters', '--webhook'],
      ...['--pointer', 'width=/image/width', '--file', '/Inbox'],
    );
    const id = String(made.id);
    const hook = { id: made.id, url: made.url, secret: made.secret, file: 0, folder };
    const { body } = await send(hook, { image: { width: 7 } });
    await send({ ...hook, secret: `whsec_${btoa('x'.repeat(32))}` }, {});

    const listed = await cli.run('trigger', 'deliveries', id);
    assert.match(listed.answer, new RegExp(`accepted +202 .*run ${body.workflow_run_id}\n`));
    assert.match(listed.answer, /bad_signature {2}401 /);
    const rows = await cli.json('trigger', 'deliveries', id);
    const accepted = rows.find(({ verdict }: { verdict: string }) => verdict === 'accepted');
    const again = await cli.json('trigger', 'redeliver', id, String(accepted.id));
    assert.notEqual(again.workflow_run_id, body.workflow_run_id);
    const run = await admin.get(`/workflows/workflow-runs/${again.workflow_run_id}`);
    assert.equal(run.body.extra_variables.width, 7);
  });

  it('makes a trigger of new files, turned off at first', async () => {
    const { cli, folder } = await withWorkflow();
    const made = await cli.json(
      ...['trigger', 'create', 'New scans', '--workflow', 'Letters', '--new-files', '/Inbox'],
      ...['--flat', '--type', 'image/*', '--var', 'width=1', '--off'],
    );
    assert.deepEqual(
      [made.folder_id, made.recursive, made.media_types, made.enabled],
      [folder, false, ['image/*'], false],
    );
  });

  it('says what is missing before anything is made', async () => {
    const { cli, admin } = await withWorkflow();
    const create = ['trigger', 'create', 'X', '--workflow', 'Letters'];
    for (const [args, words] of [
      [['trigger'], /Say what to do: show, on/],
      [['trigger', 'toString'], /no “trigger toString”/],
      [['trigger', 'show'], /ID is missing/],
      [['trigger', 'redeliver', '1'], /DELIVERY_ID is missing/],
      [['trigger', 'show', '1', '2'], /one word too many: 2/],
      [['trigger', 'create', 'X', '--webhook'], /--workflow is missing/],
      [create, /Say one of --cron, --webhook and --new-files/],
      [[...create, '--cron', '* * * * *', '--webhook'], /Say one of/],
      [[...create, '--webhook', '--flat'], /--flat is for --new-files/],
      [[...create, '--webhook', '--preset', 'x'], /no preset “x”/],
      [[...create, '--webhook', '--pointer', 'width'], /--pointer takes variable=/],
      [[...create, '--cron', '0 7 * * *'], /width is missing: --var width=…/],
    ] as const) {
      const { code, said } = await cli.run(...args);
      assert.equal(code, 2, said);
      assert.match(said, words);
    }
    const refused = await cli.run(...create, '--cron', '99 * * * *', '--var', 'width=1');
    assert.equal(refused.code, 1);
    assert.match(refused.said, /The server refused \(422\): cron: The expression/);
    assert.deepEqual((await admin.get('/workflows/triggers')).body, []);
  });
});
