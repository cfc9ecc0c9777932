/** Keeps the templates of this release in the database, with the node definitions that they use. */
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../../../db/connection.ts';
import {
  addPlatformDefinition,
  platformDefinitions,
} from '../../node_definitions/node_definitions.ts';
import { type GraphText, textOf } from '../../workflows/graph-work.ts';
import { keepTemplates, lockShipped, removeOtherShipped } from '../queries.ts';
import { type StepName, shippedSteps } from './steps.ts';
import { type ShippedTemplate, shippedTemplates } from './templates.ts';

/**
 * Adds what is missing, and changes templates that differ. Workflows that were made of them stay, and
 * so do the definitions that they use. Servers of one release may do this together.
 */
export function keepShippedTemplates(db: Db): Promise<void> {
  return db.transaction(async (tx) => {
    await lockShipped(tx);
    const ids = await keepSteps(tx);
    await removeOtherShipped(
      tx,
      shippedTemplates.map(({ key }) => key),
    );
    const templates = shippedTemplates.map((template) => {
      const { key, name, description, category } = template;
      return { shipped_as: key, name, description, category, graph: graphOf(template, ids) };
    });
    await keepTemplates(tx, templates);
  });
}

async function keepSteps(tx: Db): Promise<Map<StepName, number>> {
  const known = await platformDefinitions(
    tx,
    shippedSteps.map(({ name }) => name),
  );
  const ids = new Map<StepName, number>();
  for (const step of shippedSteps) {
    const there = known.find((row) => row.name === step.name && row.version === step.version);
    ids.set(step.name, there?.id ?? (await addPlatformDefinition(tx, step)));
  }
  return ids;
}

function graphOf({ graph }: ShippedTemplate, ids: ReadonlyMap<StepName, number>): GraphText {
  const nodes = graph.nodes.map(({ step, ...node }) => ({
    ...node,
    node_definition_id: ids.get(step) as number,
  }));
  return textOf({ ...graph, nodes } satisfies Graph);
}
