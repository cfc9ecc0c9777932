/** What a worker is told to do: one attempt with everything it needs and nothing more. */
import { registryOf, withDigest } from '@cogworks/graph/image-reference';
import { isSecret } from '@cogworks/graph/params';
import { referencesIn } from '@cogworks/graph/template';
import type { Db } from '../db/connection.ts';
import { openSecrets, registryCredentials } from '../resources/secrets/secrets.ts';
import type { Services } from '../services.ts';
import type { Claimed } from './claim.ts';
import type { Plan, PlannedEdge, PlannedNode } from './plan.ts';
import { planOf } from './plans.ts';
import { findInputFiles, findOutputs, findRun } from './queries.ts';
import type { InputFileRow, OutputRow } from './records.ts';
import { findObjectKeys } from './result-queries.ts';

/** Long enough for a large input on a slow line; the lease ends earlier when the worker is gone. */
const urlSeconds = 6 * 3600;

type File = Pick<OutputRow, 'name' | 'media_type' | 'object_id' | 'size_bytes' | 'checksum_sha256'>;
type Input = { port: string; cardinality: PlannedEdge['cardinality']; file: File };

/** Why an order cannot be made, in words for the user: trying again would not help. */
export class OrderProblem extends Error {}

/** Builds the order of an attempt that was just claimed. */
export async function orderOf(services: Services, attempt: Claimed) {
  const { db, keys, storage } = services;
  const run = await findRun(db, attempt.tenant_id, attempt.run_id);
  if (!run) throw new Error(`Attempt ${attempt.id} has no run.`);
  const plan = await planOf(db, run);
  const node = plan.nodes.get(attempt.node_key) as PlannedNode;
  const inputs = await inputsOf(db, plan, node, attempt);
  const objectKeys = await findObjectKeys(
    db,
    attempt.tenant_id,
    inputs.map(({ file }) => file.object_id),
  );
  const server = registryOf(node.definition.image);
  const registry =
    server === null ? undefined : await registryCredentials(db, keys, attempt.tenant_id, server);
  const names = secretNames(node.params);
  const secrets = await openSecrets(db, keys, attempt.tenant_id, names);
  const gone = names.find((name) => !secrets.has(name));
  if (gone !== undefined)
    throw new OrderProblem(`The secret ${gone} was deleted after the run had started.`);
  const params = withSecrets(node.params, secrets);
  const { definition } = node;
  const shown = secretInCommand(definition.command, node.params);
  if (shown !== undefined)
    throw new OrderProblem(
      `The command holds the secret param ${shown}, which others on the worker's machine could see.`,
    );
  const file = fileOf(node, inputs);

  return {
    attempt_id: attempt.id,
    lease_token: attempt.lease_token,
    run_id: attempt.run_id,
    node_key: attempt.node_key,
    ...(attempt.shard_index === undefined ? {} : { shard_index: attempt.shard_index }),
    image: definition.digest ? withDigest(definition.image, definition.digest) : definition.image,
    ...(registry ? { registry } : {}),
    command: definition.command,
    env: definition.env,
    params,
    secrets: [...secrets.values()],
    variables: plan.variables,
    ...(file ? { file: { name: file.name } } : {}),
    input_ports: definition.inputs.map(({ name, cardinality }) => ({ name, cardinality })),
    inputs: await Promise.all(
      inputs.map(
        async ({ port, cardinality, file: { name, size_bytes, checksum_sha256, object_id } }) => ({
          port,
          cardinality,
          name,
          size_bytes,
          checksum_sha256,
          url: await storage.presign('GET', objectKeys.get(object_id) as string, {
            expires_in: urlSeconds,
          }),
        }),
      ),
    ),
    outputs: definition.outputs,
    resources: { ...definition.resources, memory_mb: attempt.memory_mb },
    timeout_seconds: definition.timeout_seconds,
    network: definition.network,
  };
}

/** Names of the secrets that params refer to as `{"$secret": "NAME"}`. */
export const secretNames = (params: Record<string, unknown>): string[] =>
  Object.values(params).flatMap((value) => (isSecret(value) ? value.$secret : []));

/** A version published before this was refused may still have one. */
const secretInCommand = (command: readonly string[], params: Record<string, unknown>) =>
  command
    .flatMap(referencesIn)
    .find(({ kind, name }) => kind === 'params' && isSecret(params[name]))?.name;

/** The values are put in here, on the way to the worker, and stand nowhere else. */
function withSecrets(params: Record<string, unknown>, secrets: ReadonlyMap<string, string>) {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      isSecret(value) ? secrets.get(value.$secret) : value,
    ]),
  );
}

/** The files of every port, in the order of the run. */
async function inputsOf(db: Db, plan: Plan, node: PlannedNode, attempt: Claimed): Promise<Input[]> {
  const { tenant_id, run_id, shard_index } = attempt;
  const fromGraph = node.incoming.some((edge) => edge.source === undefined);
  const files = fromGraph ? await findInputFiles(db, tenant_id, run_id) : [];
  const sources = node.incoming.flatMap((edge) => edge.source ?? []);
  const outputs =
    sources.length > 0 ? await findOutputs(db, tenant_id, run_id, [...new Set(sources)]) : [];

  // Edges in the order they stand in the graph, so that what gathers is stable.
  const ordered = plan.graph.edges.flatMap(
    (edge) => node.incoming.find((planned) => planned.edge === edge) ?? [],
  );
  return ordered.flatMap((planned) => {
    const all = along(planned, files, outputs);
    const lane = shard_index === undefined ? undefined : all[shard_index];
    const chosen =
      planned.role === 'lane_source'
        ? lane
          ? [lane]
          : []
        : planned.role === 'same_lane'
          ? all.filter((file) => 'shard_index' in file && file.shard_index === shard_index)
          : all;
    return chosen.map((file) => ({
      port: planned.edge.to.port,
      cardinality: planned.cardinality,
      file,
    }));
  });
}

/** Everything that an edge's source has. */
function along({ edge }: PlannedEdge, files: InputFileRow[], outputs: OutputRow[]): File[] {
  const { from } = edge;
  if ('input' in from) return files.filter((file) => file.input_name === from.input);
  return outputs.filter((output) => output.node_key === from.node && output.port === from.port);
}

/** What `{{file.name}}` means: the lane's file, or the one file of the one single port. */
function fileOf(node: PlannedNode, inputs: Input[]): File | undefined {
  const lanePort = node.incoming.find(
    (edge) => edge.role === 'lane_source' || edge.role === 'same_lane',
  )?.edge.to.port;
  const single = inputs.filter((input) => input.cardinality !== 'many');
  if (lanePort !== undefined) return inputs.find((input) => input.port === lanePort)?.file;
  return single.length === 1 ? single[0]?.file : undefined;
}
