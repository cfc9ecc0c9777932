/** Every template of the release, instantiated and run by a real worker in the real images. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { imagesDir, templateImages } from '../../../tools/containers/images.ts';
import { shippedTemplates } from '../../src/resources/workflow-templates/shipped/templates.ts';
import { endOf, type Installation, openInstallation, serverEnvironment } from '../installation.ts';
import { until } from '../until.ts';

const root = join(import.meta.dirname, '../../..');
const opened = await openInstallation();
const made = await templateImages().catch((error: Error) => error.message);
const installation = opened as Installation;
const skip = (typeof opened === 'string' && opened) || (typeof made === 'string' && made);

after(async () => {
  if (typeof opened !== 'string') await installation.close();
});

const demo = (name: string) => readFile(join(root, 'tools/demo/input', name));

type Given = Record<string, Uint8Array<ArrayBuffer> | string>;
type Results = { names: string[]; text: (name: string) => Promise<string>; messages: string };

/** @returns a folder with these files. */
async function folderOf(given: Given): Promise<number> {
  const { admin } = installation;
  const name = `Input ${++folders}`;
  const folder = (await admin.post('/cogs', { name, cog_type: 'asset_folder' })).body.id;
  for (const [file, bytes] of Object.entries(given)) {
    const { status, body } = await admin.upload(file, bytes, folder);
    assert.equal(status, 201, JSON.stringify(body));
  }
  return folder;
}
let folders = 0;

/**
 * Makes a workflow of a template, and runs it over a folder with these files.
 *
 * @param expected how the run is to end.
 */
async function runTemplate(
  key: string,
  given: Given,
  extra_variables = {},
  expected = 'success',
): Promise<Results> {
  const { admin } = installation;
  const shipped = shippedTemplates.find((one) => one.key === key);
  const templates = (await admin.get('/workflow-templates')).body;
  const template = templates.find(({ name }: { name: string }) => name === shipped?.name);
  const { body: workflow } = await admin.post(`/workflow-templates/${template.id}/instantiate`, {
    name: `${key} ${JSON.stringify(extra_variables)}`,
  });
  const cog_ids = [await folderOf(given)];
  const started = await admin.post(
    `/workflows/workflow-versions/${workflow.latest_version_id}/run`,
    { cog_ids, extra_variables },
  );
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const run = await endOf(installation, started.body.workflow_run_id);
  const messages = run.node_runs
    .map(
      ({ node_key, error_message = '' }: Record<string, string>) => `${node_key} ${error_message}`,
    )
    .join('\n');
  assert.equal(run.status, expected, messages);
  const outputs = run.run_files.filter(
    ({ direction }: { direction: string }) => direction === 'output',
  );
  return {
    messages,
    names: outputs.map(({ name }: { name: string }) => name).sort(),
    text: async (name) => {
      const { cog_id } = outputs.find((one: { name: string }) => one.name === name);
      return String((await admin.get(`/cogs/${cog_id}/download`)).body);
    },
  };
}

describe('a template of the release works at once:', { skip, concurrency: 3 }, () => {
  let inventory: Promise<Results>;

  before(async () => {
    // Its image is made by the server itself; the command would take it from the folder.
    inventory = runTemplate('inventory', { 'b.txt': 'same', a10: 'same', a9: '' });
    const isReady = async () => {
      const { count } = await installation.db`
        select from platform_images where state = 'ready'
      `;
      return count > 0;
    };
    await until('the server has made the image', isReady);
    await promisify(execFile)(
      process.execPath,
      ['server/src/admin.ts', 'images', '--from', imagesDir],
      { cwd: root, env: serverEnvironment(installation.dir) },
    );
  });

  it('scans to searchable PDFs, also beside one that cannot be read', async () => {
    const scan = await readFile(join(import.meta.dirname, 'input/scan.png'));
    const given = { 'letter.png': scan, 'broken.png': 'no picture' };
    const { names, text, messages } = await runTemplate('scans', given, {}, 'partial_success');
    assert.match(messages, /clean exit code 1: convert/);
    assert.deepEqual(names, ['All scans.pdf', 'Report.csv', 'letter.pdf']);
    assert.match(await text('Report.csv'), /^name,lines,.*\n"letter",\d+,\d+,.*cogworks.*\n$/);
    assert.match(await text('letter.pdf'), /^%PDF/);
  });

  it('resize pictures', async () => {
    const given = { 'dial.jpg': await demo('dial.jpg') };
    const { names, text } = await runTemplate('resize-pictures', given, {
      size: 64,
      format: 'webp',
    });
    assert.deepEqual(names, ['dial.webp']);
    assert.match(await text('dial.webp'), /^RIFF.{1,8}WEBP/s);
  });

  it('contact sheet', async () => {
    const given = { 'dial.jpg': await demo('dial.jpg'), 'orrery.jpg': await demo('orrery.jpg') };
    assert.deepEqual((await runTemplate('contact-sheet', given)).names, ['contact-sheet.jpg']);
  });

  it('PDF to text', async () => {
    const given = { 'gears.pdf': await demo('gear-trains.pdf') };
    const { names, text } = await runTemplate('pdf-to-text', given);
    assert.deepEqual(names, ['gears.txt']);
    assert.match(await text('gears.txt'), /gear/i);
  });

  it('merge PDFs in the order of their names, and split into pages', async () => {
    const given = {
      'part 10.pdf': await demo('gear-trains.pdf'),
      'part 2.pdf': await demo('orreries.pdf'),
    };
    const merged = await runTemplate('merge-pdfs', given, { name: 'Ünited' });
    assert.deepEqual(merged.names, ['Ünited.pdf']);
    const words = await runTemplate('split-pdf', { 'two.pdf': await demo('orreries.pdf') });
    assert.ok(words.names.length > 1 && words.names.every((name) => /^two-\d+\.pdf$/.test(name)));
  });

  it('count words', async () => {
    const given = { 'a.txt': 'Wheels turn wheels.\n', 'ü, 2.txt': 'Ähnlich ähnlich\n' };
    const { names, text } = await runTemplate('count-words', given);
    assert.deepEqual(names, ['Words.csv']);
    assert.equal(
      await text('Words.csv'),
      [
        'name,lines,words,different_words,characters,used_most',
        '"a",1,3,2,20,"wheels"',
        '"ü, 2",1,2,1,16,"ähnlich"',
        '',
      ].join('\n'),
    );
  });

  it('count the words of texts beside a file that is none', async () => {
    const given = { 'a.txt': 'Wheels turn.\n', 'picture.txt': 'PNG\0\0' };
    const { text, messages } = await runTemplate('count-words', given, {}, 'partial_success');
    assert.match(messages, /count exit code 1: This is no text/);
    assert.match(await text('Words.csv'), /^name,lines,.*\n"a",1,2,.*\n$/);
  });

  it('convert texts to UTF-8', async () => {
    const given = { 'old.txt': Buffer.from('Gr\u00fc\u00dfe\r\n', 'latin1'), 'new.txt': 'Grüße\n' };
    const { names, text } = await runTemplate('text-to-utf8', given);
    assert.deepEqual(names, ['new.txt', 'old.txt']);
    assert.equal(await text('old.txt'), 'Grüße\n');
    assert.equal(await text('new.txt'), 'Grüße\n');
  });

  it('inventory of a folder, whose image is made when it is first needed', async () => {
    const { names, text } = await inventory;
    assert.ok(installation.lines.some((line) => line.includes('made an image for templates')));
    assert.deepEqual(names, ['SHA256SUMS.txt', 'inventory.csv']);
    const lines = (await text('inventory.csv'))
      .split('\n')
      .map((line) => line.replace(/[0-9a-f]{64}/, '#'));
    assert.deepEqual(lines, [
      'name,size_bytes,sha256,same_as',
      '"a9",0,#,""',
      '"a10",4,#,""',
      '"b.txt",4,#,"a10"',
      '',
    ]);
  });
});
