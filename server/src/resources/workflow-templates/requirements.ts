/** What a template needs before its workflow can run, and whether the tenant has it. */
import { ownRegistry, registryOf } from '@cogworks/graph/image-reference';
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../../db/connection.ts';
import { type ImageState, statesOf } from '../../images/images.ts';
import { type ImageName, platformImageOf, recipeOf } from '../../images/recipes/all.ts';
import type { NodeDefinition } from '../node_definitions/schema.ts';
import { missingSecrets, registriesWithCredentials } from '../secrets/secrets.ts';
import { workersFor } from '../workers/workers.ts';
import type { Requirement } from './schema.ts';

/** In the order in which one would meet them. */
export async function requirementsOf(
  db: Db,
  tenantId: number,
  graph: Graph,
  definitions: ReadonlyMap<number, NodeDefinition>,
): Promise<Requirement[]> {
  const used = [...new Set(graph.nodes.map((node) => node.node_definition_id))].flatMap(
    (id) => definitions.get(id) ?? [],
  );
  const hostsOfImages = new Set(used.flatMap(({ image }) => registryOf(image) ?? []));
  const servers = [...hostsOfImages].filter((server) => server !== ownRegistry);
  const images = platformImagesOf(definitions);
  const secrets = secretsIn(graph);
  const [known, states, missing, workers] = await Promise.all([
    registriesWithCredentials(
      db,
      servers.map((server) => ({ tenant_id: tenantId, server })),
    ),
    statesOf(db, images),
    missingSecrets(db, tenantId, secrets),
    workersFor(db, tenantId),
  ]);
  const hosts = new Set(known.map(({ server }) => server));
  return [
    ...servers.map((server) => registry(server, hosts.has(server))),
    ...images.map((one, at) => image(one, states[at] ?? { state: 'absent' })),
    ...secrets.map((name) => secret(name, !missing.includes(name))),
    ...used.filter(({ network }) => network === 'egress').map((one) => egress(one, workers)),
    ...used.map((one) => resources(one, workers)),
    ...graph.variables.filter(({ required }) => required).map(variable),
  ];
}

function secretsIn({ nodes }: Graph): string[] {
  const values = nodes.flatMap(({ params = {} }) => Object.values(params));
  const names = values.flatMap((value) =>
    value !== null && typeof value === 'object' && '$secret' in value
      ? [String((value as { $secret: unknown }).$secret)]
      : [],
  );
  return [...new Set(names)];
}

const registry = (name: string, is_met: boolean): Requirement => ({
  ...{ kind: 'registry', name, is_met },
  message: is_met
    ? `Its images come from ${name}.`
    : `Its images come from ${name}: an administrator adds a registry secret for it.`,
});

/** The images that the installation makes itself, of those that definitions name. */
export function platformImagesOf(definitions: ReadonlyMap<number, NodeDefinition>): ImageName[] {
  const images = [...definitions.values()].flatMap(({ image }) => platformImageOf(image) ?? []);
  return [...new Map(images.map((one) => [`${one.name}:${one.tag}`, one])).values()];
}

/** Nobody has to do anything for one that is made, or will be when it is needed. */
function image(one: ImageName, { state, step }: ImageState): Requirement {
  const { name } = one;
  const recipe = recipeOf(one);
  const words = {
    ready: `Its image "${name}" is ready.`,
    building: `Its image "${name}" is being made: ${step ?? 'it begins in a moment'}. Runs wait for it.`,
    absent: recipe
      ? `Its image "${name}" is made when it is first needed: about ${recipe.download_mb} MB of Debian packages, within a minute or two.`
      : `Its image "${name}" is of another release.`,
    failed: `Its image "${name}" could not be made. ${step} It is tried again when it is needed.`,
  };
  const is_met = state === 'ready' || state === 'building' || (state === 'absent' && !!recipe);
  return { kind: 'image', name, is_met, state, message: words[state] };
}

const secret = (name: string, is_met: boolean): Requirement => ({
  ...{ kind: 'secret', name, is_met },
  message: is_met
    ? `It uses the secret ${name}.`
    : `It uses the secret ${name}: an administrator adds it.`,
});

type Workers = Awaited<ReturnType<typeof workersFor>>;

function egress({ title }: NodeDefinition, workers: Workers): Requirement {
  const is_met = workers.some(({ features }) => features.includes('egress'));
  const message = is_met
    ? `${title} reaches the internet.`
    : `${title} reaches the internet: no worker is connected that lets containers do so.`;
  return { kind: 'egress', name: title, is_met, message };
}

function resources({ title, resources: needs }: NodeDefinition, workers: Workers): Requirement {
  const { cpu, memory_mb, gpu, disk_mb } = needs;
  const is_met = workers.some(
    ({ capacity }) =>
      capacity.cpu >= cpu &&
      capacity.memory_mb >= memory_mb &&
      capacity.gpu >= gpu &&
      capacity.disk_mb >= disk_mb,
  );
  const size = `${cpu} CPU, ${memory_mb} MB of memory${gpu > 0 ? `, ${gpu} GPU` : ''}`;
  const message = is_met
    ? `${title} needs ${size}.`
    : workers.length === 0
      ? `${title} needs ${size}: no worker is connected. An administrator connects one in Settings › Workers.`
      : `${title} needs ${size}: no connected worker has that much.`;
  return { kind: 'resources', name: title, is_met, message };
}

const variable = ({ variable_name, description }: Graph['variables'][number]): Requirement => ({
  kind: 'variable',
  name: variable_name,
  message: description || `You give ${variable_name} when you start it.`,
});
