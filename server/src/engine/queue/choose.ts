/**
 * Which ready node run is next, and on which worker. Pure: works on the front of the queue, which
 * the database gives by index.
 */
import type { Resources } from '@cogworks/graph/resources';

export type Needs = Resources & { egress: boolean };

/** A node run that can start. */
export type Candidate = Needs & {
  node_run_id: number;
  tenant_id: number;
  run_id: number;
  /** 0 is served first. */
  band: number;
};

/** A worker that asks for work. */
export type Place = {
  /** Whose work alone it takes; any tenant's when undefined. */
  tenant_id: number | undefined;
  egress: boolean;
  /** What it takes at most, all together. */
  room: Resources;
  /** How many node runs it takes. */
  max: number;
};

export type Choice<P extends Place> = { candidate: Candidate; place: P };

/**
 * Gives node runs to places. Tenants take turns by what they have running, so that one with much
 * waiting does not keep others from workers; of a tenant the higher priority goes first, then the
 * oldest run. Of the places that fit, the one that was given the least takes it, the first of these.
 *
 * @param loads what each tenant has running, in credits a minute.
 * @param rateOf credits a minute of a container of that size.
 */
export function choose<P extends Place>(
  candidates: readonly Candidate[],
  places: readonly P[],
  loads: ReadonlyMap<number, number>,
  rateOf: (needs: Needs) => number,
): Choice<P>[] {
  const queues = [...Map.groupBy(candidates, ({ tenant_id }) => tenant_id)].map(
    ([tenant_id, waiting]) => ({
      tenant_id,
      load: loads.get(tenant_id) ?? 0,
      waiting: waiting.toSorted(inOrder),
      next: 0,
    }),
  );
  const open = places.map((place) => ({ place, room: { ...place.room }, given: 0 }));
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
    const best = bestOf(open, candidate);
    if (!best) continue;
    take(best.room, candidate);
    best.given += 1;
    queue.load += rateOf(candidate);
    chosen.push({ candidate, place: best.place });
  }
  return chosen;
}

const inOrder = (a: Candidate, b: Candidate) =>
  a.band - b.band || a.run_id - b.run_id || a.node_run_id - b.node_run_id;

function leastLoaded(queues: readonly { load: number; tenant_id: number }[]): number {
  let best = 0;
  for (const [at, { load }] of queues.entries())
    if (load < (queues[best]?.load ?? Number.POSITIVE_INFINITY)) best = at;
  return best;
}

type Open<P extends Place> = { place: P; room: Resources; given: number };

function bestOf<P extends Place>(open: readonly Open<P>[], needs: Candidate): Open<P> | undefined {
  let best: Open<P> | undefined;
  for (const one of open) {
    if (one.given >= one.place.max || !fits(one, needs)) continue;
    if (!best || one.given < best.given) best = one;
  }
  return best;
}

function fits<P extends Place>({ place, room }: Open<P>, needs: Candidate): boolean {
  return (
    (place.tenant_id === undefined || place.tenant_id === needs.tenant_id) &&
    (place.egress || !needs.egress) &&
    needs.cpu <= room.cpu &&
    needs.memory_mb <= room.memory_mb &&
    needs.gpu <= room.gpu &&
    needs.disk_mb <= room.disk_mb
  );
}

function take(room: Resources, needs: Resources) {
  // Fractions of a cpu do not add up exactly.
  room.cpu = Math.round((room.cpu - needs.cpu) * 1000) / 1000;
  room.memory_mb -= needs.memory_mb;
  room.gpu -= needs.gpu;
  room.disk_mb -= needs.disk_mb;
}
