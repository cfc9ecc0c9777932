/** A tenant with content on every screen, including long, broken and waiting items. */
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { type Client, cast } from '../../server/test/cast.ts';
import { atEndOfFile } from '../../server/test/end-of-file.ts';
import { look } from '../../server/test/runs.ts';
import type { TestServer } from '../../server/test/server.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../server/test/workflows.ts';
import type { Person } from './browser.ts';

export type Seeded = {
  server: TestServer;
  tenant: number;
  person: Person;
  folder: number;
  files: number[];
  /** The name of a deleted file. */
  trashed: string;
  workflow: number;
  /** The newest version of the workflow. */
  draft: number;
  /** A run that failed in part, one that waits, and a successful one. */
  runs: { failed: number; waiting: number; good: number };
};

const password = 'correct horse battery';
/** A name without any opportunity for a line break. */
export const longName = `${'scan_of_a_letter_'.repeat(12)}page.txt`;
/** Of somebody who has no other name. */
export const longAddress = `maximilian.${'von-und-zu-'.repeat(3)}bartholomew@department.example.test`;
const longReason = `exit code 1: /data/inputs/in/${'no_such_folder_'.repeat(25)}`;

let made: Promise<Seeded> | undefined;
atEndOfFile(() => {
  made = undefined;
});

/** Created once per test file: tests only read it. */
export function seeded(): Promise<Seeded> {
  made ??= make();
  return made;
}

async function make(): Promise<Seeded> {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  await userWithPassword(server, admin.user.tenant_id, { email: longAddress });
  await storeCredentials(admin);
  const folder = await idOf(admin.post('/cogs', { name: 'Letters', cog_type: 'asset_folder' }));
  const files = [
    await idOf(admin.upload(longName, 'a letter', folder)),
    await idOf(admin.upload('short.txt', 'another', folder)),
  ];
  await idOf(admin.upload('notes.txt', 'notes'));
  const trashed = `old_${longName}`;
  await admin.delete(`/cogs/${await idOf(admin.upload(trashed, 'old', folder))}`);
  const { workflow, version, draft } = await workflowOf(admin);
  const runs = await runsOf(server, admin, version, files);
  const tenant = admin.user.tenant_id;
  return {
    server,
    tenant,
    person: { email: admin.user.email, password },
    folder,
    files,
    trashed,
    workflow,
    draft,
    runs,
  };
}

async function idOf(answer: Promise<{ status: number; body: { id: number } }>): Promise<number> {
  const { status, body } = await answer;
  if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(body)}`);
  return body.id;
}

async function workflowOf(admin: Client) {
  const graph = {
    ...mappedGraph(await registerNode(admin), { title: 'Read the letter' }),
    variables: [
      {
        variable_name: 'width',
        type: 'integer',
        default: 280,
        minimum: 1,
        description: 'In pixels.',
      },
      { variable_name: 'language', type: 'enum', enum: ['en', 'fr'], required: true },
      { variable_name: 'is_draft', type: 'boolean', default: true },
    ],
  };
  const { body } = await admin.post('/workflows', { name: 'Letters to text', graph });
  const version = body.latest_version_id;
  await admin.post(`/workflows/workflow-versions/${version}/publish`);
  const draft = await idOf(admin.post(`/workflows/${body.id}/versions`, { graph }));
  return { workflow: body.id as number, version: version as number, draft };
}

async function runsOf(server: TestServer, admin: Client, version: number, cog_ids: number[]) {
  const worker = await scriptedWorker(server, admin.user.tenant_id);
  const start = async () => {
    const { body } = await admin.post(`/workflows/workflow-versions/${version}/run`, {
      cog_ids,
      extra_variables: { language: 'en' },
    });
    return body.workflow_run_id as number;
  };
  const good = await start();
  await worker.work();
  const failed = await start();
  await worker.work((order) =>
    order.shard_index === 0
      ? worker.fail(order, { exit_code: 1, error_class: 'exit_nonzero', error_message: longReason })
      : worker.succeed(order),
  );
  const waiting = await start();
  if ((await look(admin, failed)).status !== 'partial_success') throw new Error('not half done');
  return { good, failed, waiting };
}
