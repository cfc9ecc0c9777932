/** `trigger create`: reads what a new trigger is, finds what it names, and makes it. */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { NewTrigger } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from './arguments.ts';
import type { Cli } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { findCogs, findFolder } from './paths.ts';
import { UsageProblem } from './problem.ts';
import { readAssignment, valuesOf } from './variables.ts';
import { localTime } from './words.ts';
import { findWorkflow, versionToRun } from './workflows.ts';

const presets = ['standard', 'github', 'gitlab', 'stripe', 'slack'] as const;

export const creationUsage =
  'trigger create NAME --workflow W --cron C | --webhook | --new-files PATH [options]';

export const creationHelp = `  create       a schedule, a webhook or one for new files; it runs in your name
    --workflow W        by its name or id: its published version, else its latest
    --cron C            at the times of this expression, as in "0 7 * * MON-FRI"
    --timezone Z        of these times, as Europe/Berlin; that of this machine unless given
    --webhook           for signed messages; the URL and the secret are shown once
    --preset P          ${presets.join(', ')}: how they are signed
    --pointer VAR=/a/b  a variable from the message, by a JSON pointer
    --new-files PATH    over what comes into this folder and those below
    --flat              not those below
    --type T            a media type that counts, as image/*; all unless given
    --file PATH         a file or folder that each run gets
    --var NAME=VALUE    a variable of the workflow
    --off               turned off at first`;

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true, default: [] as string[] } as const;
const flag = { type: 'boolean', default: false } as const;

const options = {
  ...{ json, workflow: text, off: flag },
  ...{ cron: text, timezone: text },
  ...{ webhook: flag, preset: text, pointer: texts },
  ...{ 'new-files': text, flat: flag, type: texts },
  ...{ file: texts, var: texts },
};

/** Which options only one type has. */
const ownOptions = {
  schedule: ['timezone'],
  webhook: ['preset', 'pointer'],
  folder: ['flat', 'type'],
} as const;

export type Creation = ReturnType<typeof readCreation>;

/** @throws UsageProblem */
export function readCreation(args: string[]) {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  requireCount(positionals, { least: 1, most: 1, what: 'NAME' });
  const [name = ''] = positionals;
  const { workflow, cron, webhook, 'new-files': newFiles } = values;
  if (!workflow) throw new UsageProblem('--workflow is missing.');
  const types = [
    ...(cron === undefined ? [] : (['schedule'] as const)),
    ...(webhook ? (['webhook'] as const) : []),
    ...(newFiles === undefined ? [] : (['folder'] as const)),
  ];
  const [type] = types;
  if (type === undefined || types.length > 1) {
    throw new UsageProblem('Say one of --cron, --webhook and --new-files.');
  }
  for (const [of, names] of Object.entries(ownOptions)) {
    const wrong = names.find((one) => of !== type && isGiven(values[one]));
    if (wrong)
      throw new UsageProblem(`--${wrong} is for ${wordsFor[of as keyof typeof wordsFor]}.`);
  }
  const preset = presets.find((one) => one === values.preset);
  if (values.preset !== undefined && !preset) {
    throw new UsageProblem(`There is no preset “${values.preset}”, only ${presets.join(', ')}.`);
  }
  const assignments = values.var.map(readAssignment);
  const mediaTypes = values.type;
  const pointers = readPointers(values);
  return { ...values, name, workflow, type, mediaTypes, preset, assignments, pointers };
}

const wordsFor = { schedule: '--cron', webhook: '--webhook', folder: '--new-files' };

const isGiven = (value: string | boolean | readonly string[] | undefined) =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

function readPointers({ pointer }: { pointer: string[] }): Record<string, string> {
  return Object.fromEntries(
    pointer.map((word) => {
      const [, name = '', path = ''] = /^([^=]+)=(\/.*)$/s.exec(word) ?? [];
      if (!name) {
        throw new UsageProblem(`--pointer takes variable=/a/b, not ${JSON.stringify(word)}.`);
      }
      return [name, path];
    }),
  );
}

export async function createTrigger(cli: Cli, given: Creation): Promise<number> {
  const { client, signal } = cli;
  const workflow = await findWorkflow(cli, given.workflow);
  const version_id = versionToRun(workflow);
  const declared = await client.listVersionVariables({ path: { version_id }, signal });
  // What the message may bring need not be given.
  const needed = declared.map((one) =>
    one.variable_name in given.pointers ? { ...one, required: false } : one,
  );
  const extra_variables = valuesOf(given.assignments, needed);
  const cogs = given.file.length > 0 ? await findCogs(cli, given.file) : [];
  const runs =
    workflow.published_version_id === undefined
      ? { workflow_version_id: version_id }
      : { workflow_id: workflow.id };
  const made = await client.createTrigger({
    body: {
      name: given.name,
      type: given.type,
      ...runs,
      cog_ids: cogs.map(({ id }) => id),
      extra_variables,
      enabled: !given.off,
      ...(await ownFields(cli, given)),
    },
    idempotencyKey: randomUUID(),
    signal,
  });
  for (const warning of made.warnings ?? []) cli.screen.note(warning);
  cli.answer(given.json, made, (paint) => [
    `Trigger ${made.id}, ${made.name}, starts ${workflow.name}`,
    ...(made.next_fire_at ? [`next ${localTime(made.next_fire_at)}`] : []),
    ...(made.url ? [`URL     ${made.url}`] : []),
    ...(made.secret ? [`secret  ${made.secret}`, paint('dim', 'It is not shown again.')] : []),
  ]);
  return exitCodes.ok;
}

async function ownFields(cli: Cli, given: Creation): Promise<Partial<NewTrigger>> {
  if (given.type === 'schedule') {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { cron: given.cron, timezone: given.timezone ?? own };
  }
  if (given.type === 'webhook') {
    const hasPointers = Object.keys(given.pointers).length > 0;
    return {
      ...(given.preset && { preset: given.preset }),
      ...(hasPointers && { mapping: { extra_variables: given.pointers } }),
    };
  }
  const { id } = await findFolder(cli, given['new-files'] ?? '');
  return { folder_id: id, recursive: !given.flat, media_types: given.mediaTypes };
}
