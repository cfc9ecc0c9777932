/**
 * Chooses the next ready node runs, and a worker for each. Pure: works on the front of the queue,
 * which the database reads by index.
 */
import type { Resources } from '@cogworks/graph/resources';
import { sliceOf } from '../../credits/prices.ts';

export type Needs = Resources & { egress: boolean };

/** A node run that can start. */
export type Candidate = Needs & {
  node_run_id: number;
  tenant_id: number;
  workflow_id: number;
  run_id: number;
  /** 0 is served first. */
  band: number;
  /** Time since it could start. */
  waited_ms: number;
  /** Workers that were lost in earlier attempts; others are preferred. */
  lost_workers: readonly number[];
  /** The accounts of its tenant and of its run, where these have limits. */
  tenant_account_id?: number;
  run_account_id?: number;
};

/** A worker that asks for work. */
export type Place = {
  worker_id: number;
  /** The only tenant it works for; undefined: any. */
  tenant_id: number | undefined;
  egress: boolean;
  /** Resources it can take now, in total. */
  room: Resources;
  /** Resources it has when it runs nothing else. */
  capacity: Resources;
  /** How many node runs it takes. */
  max: number;
};

/**
 * How many more node runs may be leased under the caps of tenants and workflows, by id. Those without
 * a cap are not in it.
 */
export type Slots = {
  tenants: ReadonlyMap<number, number>;
  workflows: ReadonlyMap<number, number>;
  /** Thousandths of credits that accounts have available. */
  credits: ReadonlyMap<number, number>;
};

export type Choice<P extends Place> = { candidate: Candidate; place: P };

/**
 * A node run that has found no place for this long gets one reserved until it fits; otherwise
 * smaller ones that come later could starve it.
 */
export const patience_ms = 30_000;

/**
 * Assigns node runs to places. Tenants take turns by the resources they have running, so that a
 * large backlog does not starve others. Within a tenant the higher priority goes first, then the
 * oldest run. Among places that fit, the one that was given the least takes it; ties go to the
 * first. Work whose tenant or workflow has no slot left, or whose accounts cannot pay for a slice, is
 * passed over, and no place is kept for it.
 *
 * @param loads what each tenant has running, in credits per minute.
 * @param rateOf credits per minute of a container of that size.
 */
export function choose<P extends Place>(
  candidates: readonly Candidate[],
  places: readonly P[],
  loads: ReadonlyMap<number, number>,
  rateOf: (needs: Needs) => number,
  slots: Slots,
): Choice<P>[] {
  const queues = [...Map.groupBy(candidates, ({ tenant_id }) => tenant_id)].map(
    ([tenant_id, waiting]) => ({
      tenant_id,
      load: loads.get(tenant_id) ?? 0,
      waiting: waiting.toSorted(inOrder),
      next: 0,
    }),
  );
  const open = places.map(
    (place): Open<P> => ({ place, room: { ...place.room }, given: 0, isKept: false }),
  );
  const left = {
    tenants: new Map(slots.tenants),
    workflows: new Map(slots.workflows),
    credits: new Map(slots.credits),
  };
  const chosen: Choice<P>[] = [];
  while (queues.length > 0) {
    const at = leastLoaded(queues);
    const queue = queues[at] as (typeof queues)[number];
    const candidate = queue.waiting[queue.next];
    queue.next += 1;
    if (!candidate) {
      queues.splice(at, 1);
      continue;
    }
    if (!hasSlot(left, candidate) || !isPaidFor(left, candidate)) continue;
    const best = bestOf(open, candidate);
    if (!best) {
      if (candidate.waited_ms >= patience_ms) keepPlace(open, candidate);
      continue;
    }
    take(best.room, candidate);
    takeSlot(left.tenants, candidate.tenant_id);
    takeSlot(left.workflows, candidate.workflow_id);
    for (const id of accountsOf(candidate)) takeSlot(left.credits, id, sliceOf(candidate));
    best.given += 1;
    queue.load += rateOf(candidate);
    chosen.push({ candidate, place: best.place });
  }
  return chosen;
}

const hasSlot = ({ tenants, workflows }: Slots, { tenant_id, workflow_id }: Candidate): boolean =>
  tenants.get(tenant_id) !== 0 && workflows.get(workflow_id) !== 0;

const isPaidFor = ({ credits }: Slots, candidate: Candidate): boolean =>
  accountsOf(candidate).every((id) => (credits.get(id) ?? 0) >= sliceOf(candidate));

const accountsOf = ({ tenant_account_id, run_account_id }: Candidate): number[] =>
  [tenant_account_id, run_account_id].filter((id) => id !== undefined);

function takeSlot(slots: Map<number, number>, id: number, amount = 1) {
  const left = slots.get(id);
  if (left !== undefined) slots.set(id, left - amount);
}

/**
 * Whether all candidates of one workflow and kind of need were chosen. Only the first of each kind are
 * candidates, so there may be more of it in the queue.
 */
export function mayHideMore(
  candidates: readonly Candidate[],
  choices: readonly { candidate: Candidate }[],
): boolean {
  const left = new Map<string, number>();
  const add = (candidate: Candidate, count: number) => {
    const kind = kindOf(candidate);
    left.set(kind, (left.get(kind) ?? 0) + count);
  };
  for (const candidate of candidates) add(candidate, 1);
  for (const { candidate } of choices) add(candidate, -1);
  return [...left.values()].includes(0);
}

const kindOf = ({ workflow_id, cpu, memory_mb, gpu, disk_mb, egress }: Candidate) =>
  [workflow_id, cpu, memory_mb, gpu, disk_mb, egress].join(' ');

const inOrder = (a: Candidate, b: Candidate) =>
  a.band - b.band || a.run_id - b.run_id || a.node_run_id - b.node_run_id;

function leastLoaded(queues: readonly { load: number; tenant_id: number }[]): number {
  let best = 0;
  for (const [at, { load }] of queues.entries())
    if (load < (queues[best]?.load ?? Number.POSITIVE_INFINITY)) best = at;
  return best;
}

type Open<P extends Place> = { place: P; room: Resources; given: number; isKept: boolean };

function bestOf<P extends Place>(open: readonly Open<P>[], needs: Candidate): Open<P> | undefined {
  let best: Open<P> | undefined;
  for (const one of open) {
    const { place, room, given, isKept } = one;
    if (isKept || given >= place.max || !isMeantFor(place, needs) || !isWithin(room, needs))
      continue;
    if (!best || rankOf(one, needs) < rankOf(best, needs)) best = one;
  }
  return best;
}

/**
 * Places whose worker was lost with it come last; then the one that was given the least is first.
 */
const rankOf = <P extends Place>({ place, given }: Open<P>, { lost_workers }: Candidate): number =>
  given + (lost_workers.includes(place.worker_id) ? 1_000_000 : 0);

/** Reserves the place with the most room among those large enough: it takes nothing more. */
function keepPlace<P extends Place>(open: readonly Open<P>[], needs: Candidate) {
  const large = open.filter(
    ({ place, isKept }) => !isKept && isMeantFor(place, needs) && isWithin(place.capacity, needs),
  );
  const [first, ...others] = large;
  if (!first) return;
  others.reduce((most, one) => (one.room.cpu > most.room.cpu ? one : most), first).isKept = true;
}

const isMeantFor = (place: Place, needs: Candidate): boolean =>
  (place.tenant_id === undefined || place.tenant_id === needs.tenant_id) &&
  (place.egress || !needs.egress);

const isWithin = (room: Resources, needs: Resources): boolean =>
  needs.cpu <= room.cpu &&
  needs.memory_mb <= room.memory_mb &&
  needs.gpu <= room.gpu &&
  needs.disk_mb <= room.disk_mb;

function take(room: Resources, needs: Resources) {
  // Rounded, because fractions of a cpu do not add up exactly.
  room.cpu = Math.round((room.cpu - needs.cpu) * 1000) / 1000;
  room.memory_mb -= needs.memory_mb;
  room.gpu -= needs.gpu;
  room.disk_mb -= needs.disk_mb;
}
