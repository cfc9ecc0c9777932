/** A tenant that may use so many credits, and work of a known price. */
import { findMisposted, startDuePeriods } from '../src/credits/accounts.ts';
import type { Answer } from './cast.ts';
import { filesOf, run, type Stage, stage, versionOf } from './runs.ts';
import type { TestServer } from './server.ts';
import type { Order } from './worker.ts';
import { mappedGraph, registerNode } from './workflows.ts';

export type CreditStage = Stage & {
  /** Sets what the tenant may use in each period. */
  limit(credits: number | null): Promise<Answer>;
  /** A version with one mapped node, whose slice costs five times as many credits as it has cpus. */
  version(cpu?: number, definition?: Record<string, unknown>): Promise<number>;
  /** Starts it over so many files. */
  start(version: number, count?: number, over?: Record<string, unknown>): Promise<Answer>;
  /** Makes it look as if the container ran for so long by now. */
  ranFor(order: Order, minutes: number): Promise<void>;
  /** Starts its period at that time. The duty passes over an account in use, and comes again. */
  periodAt(at: Date): Promise<void>;
  /** What its subscription says. */
  credits(): Promise<{ remaining?: number; used: number }>;
  /** What differs from the postings. */
  faults(): Promise<string[]>;
};

/** @param limit none if absent. */
export async function creditStage(limit?: number, server?: TestServer): Promise<CreditStage> {
  const people = await stage(server);
  const { owner, stranger } = people;
  const { db } = people.server.services;
  const { tenant_id } = owner.user;
  await db`update users set is_platform_admin = true where id = ${stranger.user.id}`;
  const room: CreditStage = {
    ...people,
    limit: (credits_limit) => stranger.patch(`/platform/tenants/${tenant_id}`, { credits_limit }),
    version: async (cpu = 1, definition = {}) => {
      const resources = { cpu, memory_mb: 64, gpu: 0, disk_mb: 64 };
      return versionOf(owner, mappedGraph(await registerNode(owner, { resources, ...definition })));
    },
    start: async (version, count = 1, over = {}) => {
      const names = Array.from({ length: count }, () => `${crypto.randomUUID()}.txt`);
      return run(owner, version, { cog_ids: await filesOf(owner, ...names), ...over });
    },
    ranFor: async ({ attempt_id }, minutes) => {
      await db`
        update attempts set started_at = now() - ${minutes} * interval '1 minute'
        where id = ${attempt_id}
      `;
    },
    periodAt: async (at) => {
      const isOver = async () => {
        const rows = await db`
          select from credit_accounts
          where tenant_id = ${tenant_id} and run_id is null and closed_at is null and period_end <= ${at}
        `;
        return rows.count > 0;
      };
      do await startDuePeriods(db, at, 1000);
      while (await isOver());
    },
    credits: async () => {
      const { credits_remaining: remaining, credits_used: used } = (
        await owner.get('/subscriptions')
      ).body;
      return { ...(remaining !== undefined && { remaining }), used };
    },
    faults: async () => (await findMisposted(db, tenant_id)).map(({ fault }) => fault),
  };
  if (limit !== undefined) await room.limit(limit);
  return room;
}
