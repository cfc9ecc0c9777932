/** The registry of containerised capabilities. A definition never changes; a version is a new one. */
import { commandFault } from '@cogworks/graph/checks/commands';
import { schemaFaults } from '@cogworks/graph/schema-shape';
import { referencesIn } from '@cogworks/graph/template';
import { type Db, violates } from '../../db/connection.ts';
import {
  conflict,
  type FieldFault,
  notFound,
  unprocessable,
  unprocessableFor,
} from '../../errors.ts';
import type { Page } from '../../http/paging.ts';
import type { Caller } from '../../services.ts';
import {
  addDefinition,
  findDefinitions,
  findDefinitionsJson,
  listDefinitionRows,
  sizeOfDefinitions,
} from './queries.ts';
import type { NewNodeDefinition, NodeDefinition } from './schema.ts';

/** @throws DomainError 409 `version_exists`, 422 with every fault. */
export async function registerDefinition(
  db: Db,
  caller: Caller,
  given: NewNodeDefinition,
): Promise<NodeDefinition> {
  const definition = withDefaults(given);
  const faults = faultsOf(definition);
  if (faults.length > 0) throw unprocessableFor(faults);
  return addDefinition(db, caller.tenant_id, caller.user_id, definition).catch((error: unknown) => {
    throw violates(error, 'node_definitions_version_unique')
      ? conflict(
          'version_exists',
          `${given.name} ${given.version} is registered already; a definition never changes.`,
          error,
        )
      : error;
  });
}

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

/** As many bytes of definitions as one graph may use: all of them are in memory while it is checked. */
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

type Complete = ReturnType<typeof withDefaults>;

function faultsOf({ image, command, inputs, outputs, params }: Complete): FieldFault[] {
  const faults: FieldFault[] = [];
  const fault = (loc: (string | number)[], msg: string, type = 'value_error') =>
    faults.push({ loc: ['body', ...loc], msg, type });

  if (!isImageReference(image))
    fault(['image'], 'Not an image reference such as registry.example/tools:1.2.');
  command.forEach((part, index) => {
    for (const reference of referencesIn(part)) {
      const wrong = commandFault(reference, { inputs, params });
      if (wrong === null) continue;
      // The rest depends on the graph that will use it; these would be wrong in every one.
      const isSecret = wrong.code === 'secret_in_command';
      if (!isSecret && reference.kind !== 'inputs' && reference.kind !== 'unknown') continue;
      fault(['command', index], wrong.message, isSecret ? wrong.code : undefined);
    }
  });
  for (const [field, ports] of [
    ['inputs', inputs],
    ['outputs', outputs],
  ] as const) {
    const names = ports.map((port) => port.name);
    names.forEach((name, index) => {
      if (names.indexOf(name) < index)
        fault([field, index, 'name'], `There are two ports named ${name}.`);
    });
  }
  outputs.forEach(({ glob }, index) => {
    if (glob.startsWith('/') || glob.split('/').includes('..') || glob.includes('\0')) {
      fault(
        ['outputs', index, 'glob'],
        'Must stay below /data/outputs: no leading "/" and no "..".',
      );
    }
  });
  for (const { pointer, message } of schemaFaults(params)) {
    fault(['params', ...pointer.split('/').slice(1)], `The params schema: ${message}.`);
  }
  return faults;
}

/** By the grammar that all engines share: [host[:port]/]path[:tag][@digest], no options, no spaces. */
function isImageReference(text: string): boolean {
  const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
  const host = '(?:\\[[0-9a-fA-F:]+\\]|[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?)(?::\\d{1,5})?';
  const reference = `^(?:${host}/)?${component}(?:/${component})*(?::[\\w][\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`;
  return text.length <= 500 && new RegExp(reference).test(text);
}
