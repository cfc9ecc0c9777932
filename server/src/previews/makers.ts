/**
 * The processes that make previews: started on demand, ended when idle. A process serves one tenant
 * only, so bytes that take it over see none of another. Tenants take turns, one preview at a time.
 */
import { DomainError } from '../errors.ts';
import type { PreviewLimits } from '../limits.ts';
import { type Maker, type Outcome, startMaker, type Task } from './maker.ts';

export type Makers = {
  /**
   * @throws DomainError 429 if the tenant has too many waiting, 503 when the server stops; errors
   *   of `task.copyTo`.
   */
  make(tenantId: number, task: Task): Promise<Outcome>;
  /** How many processes there are. */
  running(): number;
  close(): Promise<void>;
};

type Job = {
  tenant_id: number;
  task: Task;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
};

type Idle = { maker: Maker; timer: NodeJS.Timeout };

export function openMakers(limits: PreviewLimits): Makers {
  const waiting = new Map<number, Job[]>();
  const busy = new Map<number, Maker>();
  const idle = new Map<number, Idle>();
  const ending = new Set<Promise<void>>();
  let closed = false;

  function next() {
    while (!closed && busy.size < limits.processes) {
      const job = takeJob();
      if (!job) return;
      const maker = takeMaker(job.tenant_id);
      busy.set(job.tenant_id, maker);
      void work(job, maker);
    }
  }

  /** The next job of the tenant whose turn it is. */
  function takeJob(): Job | undefined {
    for (const [tenant, jobs] of waiting) {
      if (busy.has(tenant)) continue;
      const job = jobs.shift();
      // Moves the tenant to the end of the line, with its remaining jobs.
      waiting.delete(tenant);
      if (jobs.length > 0) waiting.set(tenant, jobs);
      return job;
    }
    return undefined;
  }

  function takeMaker(tenant: number): Maker {
    const own = idle.get(tenant);
    if (own) {
      clearTimeout(own.timer);
      idle.delete(tenant);
      if (own.maker.isAlive()) return own.maker;
    }
    const [other] = idle.keys();
    if (other !== undefined && busy.size + idle.size >= limits.processes) endIdle(other);
    return startMaker(limits);
  }

  function endIdle(tenant: number) {
    const found = idle.get(tenant);
    if (!found) return;
    clearTimeout(found.timer);
    idle.delete(tenant);
    const end = found.maker.kill().finally(() => ending.delete(end));
    ending.add(end);
  }

  async function work({ tenant_id, task, resolve, reject }: Job, maker: Maker) {
    // What was killed by `close` says nothing of the bytes.
    await maker.make(task).then(
      (outcome) => (closed ? reject(stopping()) : resolve(outcome)),
      (error: unknown) => reject(closed ? stopping() : error),
    );
    busy.delete(tenant_id);
    if (maker.isAlive() && !closed) {
      const timer = setTimeout(() => endIdle(tenant_id), limits.idle_ms).unref();
      idle.set(tenant_id, { maker, timer });
    }
    next();
  }

  return {
    make: (tenant_id, task) =>
      new Promise((resolve, reject) => {
        const jobs = waiting.get(tenant_id) ?? [];
        if (closed) return reject(stopping());
        if (jobs.length >= limits.waiting_per_tenant) return reject(tooMany());
        jobs.push({ tenant_id, task, resolve, reject });
        waiting.set(tenant_id, jobs);
        next();
      }),
    running: () => busy.size + idle.size,
    close: async () => {
      closed = true;
      for (const { reject } of [...waiting.values()].flat()) reject(stopping());
      waiting.clear();
      for (const tenant of [...idle.keys()]) endIdle(tenant);
      await Promise.all([...ending, ...[...busy.values()].map((maker) => maker.kill())]);
    },
  };
}

const stopping = () => new DomainError('unavailable', 'The server is stopping.');

const tooMany = () =>
  new DomainError('too_many_requests', 'Too many previews are being made. Try again in 5 s.', {
    code: 'too_many_at_once',
    retry_after_seconds: 5,
  });
