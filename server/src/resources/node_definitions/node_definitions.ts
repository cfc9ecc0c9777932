/**
 * The registry of containerised nodes. Definitions are immutable; a new version is a new
 * definition.
 */

import type { Caller } from '../../callers.ts';
import { type Db, violates } from '../../db/connection.ts';
import type { Effect } from '../../effects.ts';
import { conflict, notFound, unprocessable } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import { requireSound } from './definition-faults.ts';
import {
  addDefinition,
  findDefinitions,
  findDefinitionsJson,
  findOfPlatform,
  listDefinitionRows,
  sizeOfDefinitions,
} from './queries.ts';
import type { DefinitionUse, NewNodeDefinition, NodeDefinition } from './schema.ts';
import { findDefinitionUses } from './uses-queries.ts';

const mostBytesHere = 4096;

/**
 * Checks a definition. A thread may need seconds for it, and no transaction is open meanwhile.
 *
 * @returns a function that registers it; it throws 409 `version_exists`.
 * @throws DomainError 422 with every fault.
 */
export async function prepareDefinition(
  threads: GraphThreads,
  caller: Caller,
  given: NewNodeDefinition,
): Promise<Effect<NodeDefinition>> {
  const definition = withDefaults(given);
  const { image, command, inputs, outputs, params } = definition;
  const judged = { image, command, inputs, outputs, params };
  // Thousands of patterns take a second; ordinary definitions take less than a message to a thread.
  if (JSON.stringify([params, command]).length <= mostBytesHere) requireSound(judged);
  else await threads.run(caller.tenant_id, 'definition', judged);
  return (db) => registerDefinition(db, caller, definition);
}

function registerDefinition(db: Db, caller: Caller, definition: ReturnType<typeof withDefaults>) {
  const { name, version } = definition;
  return addDefinition(db, caller.tenant_id, caller.user_id, definition).catch((error: unknown) => {
    throw violates(error, 'node_definitions_version_unique')
      ? conflict(
          'version_exists',
          `${name} ${version} is registered already; a definition never changes.`,
          error,
        )
      : error;
  });
}

/** Registers a definition that comes with the release, for all tenants. @returns its id. */
export async function addPlatformDefinition(db: Db, given: NewNodeDefinition): Promise<number> {
  const definition = withDefaults(given);
  requireSound(definition);
  return (await addDefinition(db, null, null, definition)).id;
}

/** Definitions of the platform with these names, in all their versions. */
export const platformDefinitions = (db: Db, names: readonly string[]) => findOfPlatform(db, names);

export function listDefinitions(
  db: Db,
  caller: Caller,
  filter: { category?: string; q?: string },
  page: Page,
) {
  return listDefinitionRows(db, caller.tenant_id, filter, page);
}

export async function getDefinition(db: Db, caller: Caller, id: number): Promise<NodeDefinition> {
  const [definition] = await findDefinitions(db, caller.tenant_id, [id]);
  if (!definition) throw notFound('Node definition');
  return definition;
}

/**
 * The versions that would run or be edited next and use the definition. A definition of the platform
 * is in graphs of many tenants; these are the caller's.
 */
export async function listDefinitionUses(
  db: Db,
  caller: Caller,
  id: number,
  page: Page,
): Promise<Listed<DefinitionUse>> {
  await getDefinition(db, caller, id);
  return findDefinitionUses(db, caller.tenant_id, id, page);
}

/** Maximum bytes of definitions used by one graph: all are in memory while it is checked. */
const mostBytes = 4 * 1024 * 1024;

/**
 * Those of the ids that exist for the tenant, by id; what the graph is validated against.
 *
 * @throws DomainError 422 when they are too large together.
 */
export async function definitionsOf(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<Map<number, NodeDefinition>> {
  const wanted = [...new Set(ids)];
  await requireSize(db, tenantId, wanted);
  const rows = await findDefinitions(db, tenantId, wanted);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The same as JSON, with no more than a check of a graph needs.
 *
 * @throws DomainError 422 when they are too large together.
 */
export async function definitionsAsJson(db: Db, tenantId: number, ids: readonly number[]) {
  const wanted = [...new Set(ids)];
  await requireSize(db, tenantId, wanted);
  return findDefinitionsJson(db, tenantId, wanted);
}

async function requireSize(db: Db, tenantId: number, ids: number[]) {
  const bytes = await sizeOfDefinitions(db, tenantId, ids);
  if (bytes <= mostBytes) return;
  const msg = `The node definitions of this graph take ${bytes} bytes; at most ${mostBytes} are possible.`;
  throw unprocessable({ loc: ['graph', 'nodes'], msg, type: 'definitions_too_large' });
}

function withDefaults(given: NewNodeDefinition) {
  return {
    title: given.name,
    description: '',
    category: '',
    env: {},
    inputs: [],
    params: { type: 'object', properties: {}, additionalProperties: false },
    resources: { cpu: 1, memory_mb: 512, gpu: 0, disk_mb: 1024 },
    timeout_seconds: 3600,
    retry: { max_attempts: 1, on: [] },
    network: 'none' as const,
    cache: { enabled: true, version: '1' },
    ...given,
  };
}
