/**
 * Work orders: what an attempt needs, and nothing more. Orders of one round are composed together,
 * and data that several need is read once.
 */
import { atRegistry, ownRegistry, withDigest } from '@cogworks/graph/image-reference';
import { isSecret } from '@cogworks/graph/params';
import { referencesIn } from '@cogworks/graph/template';
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import type { Keys } from '../../keys/keys.ts';
import { readCredentials, type TenantSecrets } from '../../resources/secrets/secrets.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Traces } from '../../traces/traces.ts';
import type { NewAttempt } from '../kernel/changes.ts';
import { type PlannedNode, paramsOf } from '../kernel/plan.ts';
import type { RunState } from '../kernel/state.ts';
import type { NodeRunRow } from '../records.ts';
import type { StoredFile } from '../tables/order-files.ts';
import { type InputPlace, placeAsText, wantedFiles } from './inputs.ts';
import { type Input, type InputPage, inputsOfAnswer, readInputs } from './order-inputs.ts';

/** Long enough for a large input on a slow line. If the worker is lost, the lease ends earlier. */
const urlSeconds = 6 * 3600;

/** A leased node run, with the state of its run at that time. */
export type Lease = {
  state: Pick<RunState, 'run' | 'plan' | 'counts' | 'firstIds'>;
  row: NodeRunRow;
  attempt: NewAttempt;
  /** How many inputs its order names; undefined for a worker that does not read pages. */
  most_inputs?: number;
};

/** Whether its order names few files, unlike a gather of ten thousand. */
export function isSmall({ state, row }: Lease): boolean {
  const node = state.plan.byKey.get(row.node_key) as PlannedNode;
  return wantedFiles(state, node, row.shard_index).every((wanted) =>
    wanted.from === 'input' ? wanted.lane !== undefined : wanted.ids.count === 1,
  );
}

/** Why an order cannot be composed, worded for the user. A retry would not help. */
export class OrderProblem extends Error {}

export type Order = Awaited<ReturnType<typeof orderOf>>;

/** Secrets of one tenant cannot be read: the orders of other tenants are not affected. */
function unreadable(error: unknown): TenantSecrets {
  const fail = () => {
    throw error;
  };
  return { registry: fail, generic: fail };
}

type OrderParts = { lease: Lease; node: PlannedNode; params: Record<string, unknown> };

/** Sources of orders: files, secrets and storage. */
export type OrderSources = {
  files: Tag;
  lookups: Tag;
  db: Db;
  keys: Keys;
  storage: Storage;
  traces: Pick<Traces, 'traceparentOf'> | undefined;
};

/** Composes the orders of new attempts, in the same order; an error if one cannot be composed. */
export async function ordersOf(
  { files: tag, lookups, db, keys, storage, traces }: OrderSources,
  leases: readonly Lease[],
): Promise<(Order | Error)[]> {
  const parts = leases.map((lease) => {
    const node = lease.state.plan.byKey.get(lease.row.node_key) as PlannedNode;
    const params = paramsOf(node, lease.state.run.extra_variables);
    return { lease, node, params, wanted: wantedFiles(lease.state, node, lease.row.shard_index) };
  });
  const needs = Map.groupBy(parts, ({ lease }) => lease.state.run.tenant_id);
  const [files, secrets] = await Promise.all([
    readInputs(
      tag,
      parts.map(({ lease: { state, most_inputs }, wanted }) => ({
        ...{ run: state.run, wanted, most: most_inputs },
      })),
    ),
    Promise.all(
      [...needs].map(async ([tenant_id, of]): Promise<[number, TenantSecrets]> => {
        const servers = of.flatMap(({ node }) => node.registry ?? []);
        const names = of.flatMap(({ params }) => secretNames(params));
        const wanted = { servers: [...new Set(servers)], names: [...new Set(names)] };
        const sources = { db, lookups, taken: tag, keys };
        const read = readCredentials(sources, tenant_id, wanted, of.flatMap(takersIn));
        return [tenant_id, await read.catch(unreadable)];
      }),
    ),
  ]);
  const ofTenants = new Map(secrets);
  return Promise.all(
    parts.map(({ lease, node, params }, at) => {
      const given = ofTenants.get(lease.state.run.tenant_id) as TenantSecrets;
      const page = files[at] as InputPage;
      return orderOf({ storage, traces }, lease, node, params, page, given).catch(
        (error: Error) => error,
      );
    }),
  );
}

/** What an attempt takes: the credentials for its registry, and the secrets in its params. */
function takersIn({ lease: { attempt }, node, params }: OrderParts) {
  const taker = { attempt_id: attempt.id, node_run_id: attempt.node_run_id };
  return [
    ...(node.registry === null ? [] : [{ ...taker, server: node.registry }]),
    ...secretNames(params).map((name) => ({ ...taker, name })),
  ];
}

/** Names of the secrets that params refer to as `{"$secret": "NAME"}`. */
export const secretNames = (params: Record<string, unknown>): string[] =>
  Object.values(params).flatMap((value) => (isSecret(value) ? value.$secret : []));

async function orderOf(
  { storage, traces }: Pick<OrderSources, 'storage' | 'traces'>,
  { state: { run }, row, attempt }: Lease,
  node: PlannedNode,
  params: Record<string, unknown>,
  { inputs, next, heads }: InputPage,
  secrets: TenantSecrets,
) {
  const { definition } = node;
  const values = new Map(secretNames(params).map((name) => [name, secrets.generic(name)] as const));
  const gone = [...values].find(([, value]) => value === undefined)?.[0];
  if (gone !== undefined)
    throw new OrderProblem(`The secret ${gone} was deleted after the run had started.`);
  const shown = secretInCommand(definition.command, params);
  if (shown !== undefined)
    throw new OrderProblem(
      `The command holds the secret param ${shown}, which others on the worker's machine could see.`,
    );
  const registry = node.registry === null ? undefined : secrets.registry(node.registry);
  const file = fileOf(heads);
  const { cpu, memory_mb, gpu, disk_mb } = attempt;

  return {
    attempt_id: attempt.id,
    lease_token: attempt.lease_token,
    run_id: run.id,
    node_key: node.key,
    ...(row.shard_index === undefined ? {} : { shard_index: row.shard_index }),
    image: imageFor(node, registry?.server),
    ...(registry ? { registry } : {}),
    command: definition.command,
    env: { ...tracedBy(traces, run.id, attempt.id), ...definition.env },
    params: withSecrets(params, values),
    secrets: [...values.values()].filter((value) => value !== undefined),
    variables: run.extra_variables,
    ...(file ? { file: { name: file.name } } : {}),
    input_ports: definition.inputs.map(({ name, cardinality }) => ({ name, cardinality })),
    inputs: await presigned(storage, inputs),
    ...(next ? { more_inputs: placeAsText(next) } : {}),
    outputs: definition.outputs,
    resources: { cpu, memory_mb, gpu, disk_mb },
    timeout_seconds: definition.timeout_seconds,
    network: definition.network,
  };
}

/** @param server the address of the node's registry, if the tenant has credentials for it. */
function imageFor({ definition: { image, digest }, registry }: PlannedNode, server?: string) {
  const there = registry === ownRegistry && server ? atRegistry(image, server) : image;
  return digest ? withDigest(there, digest) : there;
}

/** What a program in the container traces is part of the run's trace. */
const tracedBy = (traces: OrderSources['traces'], runId: number, attemptId: number) =>
  traces ? { TRACEPARENT: traces.traceparentOf(runId, attemptId) } : {};

const presigned = (storage: Storage, inputs: readonly Input[]) =>
  Promise.all(
    inputs.map(async ({ port, cardinality, file: { name, size_bytes, checksum_sha256, key } }) => ({
      ...{ port, cardinality, name, size_bytes, checksum_sha256 },
      url: await storage.presign('GET', key, { expires_in: urlSeconds }),
    })),
  );

/** Further inputs of an attempt, from the end of its order or of the previous page. */
export async function inputsFrom(
  { files, storage }: Pick<OrderSources, 'files' | 'storage'>,
  { state, row }: Pick<Lease, 'state' | 'row'>,
  start: InputPlace,
) {
  const node = state.plan.byKey.get(row.node_key) as PlannedNode;
  const wanted = wantedFiles(state, node, row.shard_index);
  const [page] = await readInputs(files, [{ run: state.run, wanted, start, most: inputsOfAnswer }]);
  const { inputs = [], next } = page ?? {};
  return {
    inputs: await presigned(storage, inputs),
    ...(next ? { more_inputs: placeAsText(next) } : {}),
  };
}

/** Now refused when a version is published, but older versions may still have one. */
const secretInCommand = (command: readonly string[], params: Record<string, unknown>) =>
  command
    .flatMap(referencesIn)
    .find(({ kind, name }) => kind === 'params' && isSecret(params[name]))?.name;

/**
 * Secret values are inserted here, on the way to the worker, and are stored nowhere else in clear.
 */
function withSecrets(
  params: Record<string, unknown>,
  secrets: ReadonlyMap<string, string | undefined>,
) {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      isSecret(value) ? secrets.get(value.$secret) : value,
    ]),
  );
}

/** The value of `{{file.name}}`: the lane's file, or the only file of the only single port. */
function fileOf(inputs: readonly Input[]): StoredFile | undefined {
  const ofLane = inputs.find(({ is_of_lane }) => is_of_lane);
  if (ofLane) return inputs.find(({ port }) => port === ofLane.port)?.file;
  const single = inputs.filter(({ cardinality }) => cardinality !== 'many');
  return single.length === 1 ? single[0]?.file : undefined;
}
