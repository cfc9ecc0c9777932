/** Two workers, and runs whose leases a test lets expire. */
import { type Cast, type Client, cast } from './cast.ts';
import { sweepInPeace } from './sweeps.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from './worker.ts';
import { mappedGraph, registerNode, storeCredentials } from './workflows.ts';

export type LeaseStage = Cast & {
  worker: ScriptedWorker;
  other: ScriptedWorker;
  /** Starts a run of one mapped node over `count` files. @returns its id. */
  start(count?: number, definition?: Record<string, unknown>): Promise<number>;
  look(id: number): Promise<Order>;
  /** Makes the lease expire, by the database's clock. */
  lapse(order: Order): Promise<void>;
  sweep(): Promise<number>;
};

export async function leaseStage(): Promise<LeaseStage> {
  const people = await cast();
  const { owner, server } = people;
  await storeCredentials(people.admin);
  const { db } = server.services;
  const tenantId = owner.user.tenant_id;
  const [worker, other] = await Promise.all([
    scriptedWorker(server, tenantId),
    scriptedWorker(server, tenantId),
  ]);
  const upload = async (client: Client, name: string) => (await client.upload(name, name)).body.id;
  return {
    ...people,
    worker,
    other,
    start: async (count = 1, definition = {}) => {
      const graph = mappedGraph(await registerNode(owner, definition));
      const { body } = await owner.post('/workflows', { name: 'Leases', graph });
      const cog_ids = await Promise.all(
        Array.from({ length: count }, (_, index) => upload(owner, `${Math.random()}-${index}`)),
      );
      const started = await owner.post(
        `/workflows/workflow-versions/${body.latest_version_id}/run`,
        { cog_ids },
      );
      return started.body.workflow_run_id;
    },
    look: async (id) => (await owner.get(`/workflows/workflow-runs/${id}`)).body,
    lapse: async (order) => {
      await db`update attempts set lease_expires_at = now() - interval '1 second' where id = ${order.attempt_id}`;
    },
    sweep: () => sweepInPeace(server.services),
  };
}
