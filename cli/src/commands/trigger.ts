import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { listPage } from '@cogworks/sdk/pages';
import { json, readId } from '../arguments.ts';
import type { Action, Cli, Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { createTrigger, creationHelp, creationUsage, readCreation } from '../new-trigger.ts';
import { UsageProblem } from '../problem.ts';
import { deliveryLine, triggerLines } from '../trigger-view.ts';
import { allWorkflows } from '../workflows.ts';

const mostRows = 50;

type Verb = { ids: string[]; act: (cli: Cli, ids: number[], isJson: boolean) => Promise<void> };

const verbs: Record<string, Verb> = {
  show: { ids: ['ID'], act: show },
  on: { ids: ['ID'], act: (cli, [id = 0], isJson) => turn(cli, id, true, isJson) },
  off: { ids: ['ID'], act: (cli, [id = 0], isJson) => turn(cli, id, false, isJson) },
  fire: { ids: ['ID'], act: fire },
  delete: { ids: ['ID'], act: remove },
  deliveries: { ids: ['ID'], act: deliveries },
  redeliver: { ids: ['ID', 'DELIVERY_ID'], act: redeliver },
};

export const trigger: Command = {
  usage: `trigger show|on|off|fire|delete|deliveries ID | trigger redeliver ID DELIVERY_ID | ${creationUsage}`,
  help: `shows, makes and changes a trigger; \`triggers\` lists them
  show         its settings, its next times, and what became of its last ${mostRows} starts
  on, off      nothing is made up for when it is turned on
  fire         starts its run now, whatever runs already
  delete       its runs stay
  deliveries   what came to a webhook last, and why it was refused
  redeliver    starts a run for a message of before
${creationHelp}`,
  read(args): Action {
    const [verb, ...rest] = args;
    if (verb === 'create') {
      const creation = readCreation(rest);
      return (cli) => createTrigger(cli, creation);
    }
    const known = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (!known) {
      const words = [...Object.keys(verbs), 'create'].join(', ');
      throw new UsageProblem(
        verb === undefined || verb.startsWith('-')
          ? `Say what to do: ${words}.`
          : `There is no “trigger ${verb}”, only ${words}.`,
      );
    }
    const { values, positionals } = parseArgs({
      args: rest,
      options: { json },
      allowPositionals: true,
    });
    const ids = known.ids.map((what, at) =>
      readId(
        at + 1 < known.ids.length ? positionals.slice(at, at + 1) : positionals.slice(at),
        what,
      ),
    );
    return async (cli) => {
      await known.act(cli, ids, values.json);
      return exitCodes.ok;
    };
  },
};

async function show(cli: Cli, [id = 0]: number[], isJson: boolean) {
  const { client, signal } = cli;
  const found = await client.getTrigger({ path: { id }, signal });
  const next = await client.previewTrigger({ path: { id }, query: { count: 5 }, signal });
  const query = { limit: mostRows };
  const { rows: firings } = await listPage(client, 'listFirings', { path: { id }, query, signal });
  const workflows = isJson ? [] : await allWorkflows(cli);
  const workflow =
    workflows.find((one) => one.id === found.workflow_id)?.name ?? `workflow ${found.workflow_id}`;
  cli.answer(isJson, { ...found, next, firings }, (paint) =>
    triggerLines(found, { next, firings }, workflow, paint),
  );
}

async function turn(
  { client, signal, answer }: Cli,
  id: number,
  enabled: boolean,
  isJson: boolean,
) {
  const changed = await client.changeTrigger({ path: { id }, body: { enabled }, signal });
  answer(isJson, changed, () => [`${changed.name} is ${enabled ? 'on' : 'off'}`]);
}

async function fire({ client, signal, answer }: Cli, [id = 0]: number[], isJson: boolean) {
  const idempotencyKey = randomUUID();
  const started = await client.fireTrigger({ path: { id }, idempotencyKey, signal });
  answer(isJson, started, () => [`Run ${started.workflow_run_id} starts`]);
}

async function remove({ client, signal, answer }: Cli, [id = 0]: number[], isJson: boolean) {
  await client.deleteTrigger({ path: { id }, signal });
  answer(isJson, { id }, () => [`Trigger ${id} is deleted; its runs stay`]);
}

async function deliveries({ client, signal, answer }: Cli, [id = 0]: number[], isJson: boolean) {
  const query = { limit: mostRows };
  const { rows } = await listPage(client, 'listDeliveries', { path: { id }, query, signal });
  answer(isJson, rows, (paint) => rows.map((row) => deliveryLine(row, paint)));
}

async function redeliver(
  { client, signal, answer }: Cli,
  [id = 0, delivery_id = 0]: number[],
  isJson: boolean,
) {
  const path = { id, delivery_id };
  const started = await client.redeliver({ path, idempotencyKey: randomUUID(), signal });
  answer(isJson, started, () => [`Run ${started.workflow_run_id} starts`]);
}
