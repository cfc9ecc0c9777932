import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Candidate,
  choose,
  mayHideMore,
  type Place,
  patience_ms,
  type Slots,
} from './choose.ts';

/** A node run of one cpu by default; each tenant has one workflow and one run. */
const waits = (node_run_id: number, over: Partial<Candidate> = {}): Candidate => ({
  ...{ node_run_id, tenant_id: 1, band: 1, egress: false },
  ...{ workflow_id: over.tenant_id ?? 1, run_id: over.tenant_id ?? 1 },
  ...{ cpu: 1, memory_mb: 64, gpu: 0, disk_mb: 64, waited_ms: 0, lost_workers: [] },
  ...over,
});

type Named = Place & { name: string };

/** A worker with more room than any node run needs, by default. */
const asks = (over: Partial<Place['room']> & Partial<Omit<Named, 'room'>> = {}): Named => {
  const { name = 'worker', worker_id = 1, tenant_id, egress = true, max = 100, ...rest } = over;
  const much = { cpu: 100, memory_mb: 100_000, gpu: 8, disk_mb: 100_000 };
  const { capacity = much, ...room } = rest;
  return { name, worker_id, tenant_id, egress, max, room: { ...much, ...room }, capacity };
};

/** No tenant and no workflow has a cap. */
const uncapped: Slots = { tenants: new Map(), workflows: new Map(), credits: new Map() };

const chosen = (
  candidates: Candidate[],
  places: Named[],
  loads: [number, number][] = [],
  slots = uncapped,
) =>
  choose(candidates, places, new Map(loads), ({ cpu }) => cpu, slots).map(
    ({ candidate, place }) => [candidate.node_run_id, place.name] as const,
  );

/** The node runs chosen for one worker, in order. */
const order = (candidates: Candidate[], place = asks(), loads: [number, number][] = []) =>
  chosen(candidates, [place], loads).map(([id]) => id);

describe('which node run is next', () => {
  const cases: [string, number[], number[]][] = [
    [
      'of one tenant the one of higher priority',
      order([waits(1, { band: 2 }), waits(2, { band: 1 }), waits(3, { band: 0 })]),
      [3, 2, 1],
    ],
    [
      'of one priority that of the oldest run',
      order([waits(1, { run_id: 9 }), waits(2, { run_id: 8 })]),
      [2, 1],
    ],
    ['of one run the first', order([waits(3), waits(1), waits(2)]), [1, 2, 3]],
    [
      'of two tenants each in turn, however much one has waiting',
      order([waits(1), waits(2), waits(3), waits(7, { tenant_id: 2 }), waits(8, { tenant_id: 2 })]),
      [1, 7, 2, 8, 3],
    ],
    [
      'the tenant with less running, until both have as much',
      order(
        [waits(1), waits(2), waits(7, { tenant_id: 2 }), waits(8, { tenant_id: 2 })],
        asks({ max: 3 }),
        [
          [1, 2],
          [2, 0],
        ],
      ),
      [7, 8, 1],
    ],
    [
      'what is small several times for each that is big',
      order([
        waits(1, { cpu: 3 }),
        waits(2, { cpu: 3 }),
        ...[7, 8, 9, 10].map((id) => waits(id, { tenant_id: 2 })),
      ]),
      [1, 7, 8, 9, 2, 10],
    ],
    [
      'the other tenant, whatever the priority of the first',
      order([waits(1, { band: 0 }), waits(7, { tenant_id: 2, band: 2 })], asks({ max: 1 }), [
        [1, 5],
      ]),
      [7],
    ],
    [
      'what is behind one that does not fit',
      order([waits(1, { cpu: 8 }), waits(2, { cpu: 2 })], asks({ cpu: 4 })),
      [2],
    ],
    ['none of a tenant without any that fits', order([waits(1, { gpu: 1 })], asks({ gpu: 0 })), []],
    ['none when none waits', order([]), []],
  ];
  for (const [what, is, wanted] of cases) it(`is ${what}`, () => assert.deepEqual(is, wanted));
});

describe('what a worker is given', () => {
  const three = [waits(1), waits(2), waits(3)];

  it('is no more than it takes', () => {
    assert.deepEqual(order(three, asks({ max: 2 })), [1, 2]);
    assert.deepEqual(order(three, asks({ max: 0 })), []);
  });

  it('fits its room, all together', () => {
    assert.deepEqual(order(three, asks({ cpu: 2 })), [1, 2]);
    assert.deepEqual(order(three, asks({ memory_mb: 127 })), [1]);
    assert.deepEqual(order(three, asks({ disk_mb: 63 })), []);
  });

  it('fills it to the last fraction of a cpu', () => {
    const tenths = Array.from({ length: 10 }, (_, at) => waits(at, { cpu: 0.1 }));

    assert.equal(order(tenths, asks({ cpu: 1 })).length, 10);
  });

  it('needs no network that it does not offer', () => {
    const both = [waits(1, { egress: true }), waits(2)];

    assert.deepEqual(order(both, asks({ egress: false })), [2]);
    assert.deepEqual(order(both, asks({ egress: true })), [1, 2]);
  });

  it("is that of its own tenant alone, if it is a tenant's", () => {
    const both = [waits(1), waits(7, { tenant_id: 2 })];

    assert.deepEqual(order(both, asks({ tenant_id: 2 })), [7]);
    assert.deepEqual(order(both, asks({ tenant_id: 3 })), []);
  });
});

describe('among workers', () => {
  const two = [asks({ name: 'a' }), asks({ name: 'b' })];

  it('work is spread', () => {
    const four = [1, 2, 3, 4].map((id) => waits(id));

    assert.deepEqual(chosen(four, two), [
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
      [4, 'b'],
    ]);
  });

  it('the first that fits takes it', () => {
    assert.deepEqual(chosen([waits(1, { gpu: 1 })], [asks({ name: 'none', gpu: 0 }), ...two]), [
      [1, 'a'],
    ]);
  });

  it('one takes what the others have no more room for', () => {
    const places = [asks({ name: 'small', cpu: 1 }), asks({ name: 'big' })];

    assert.deepEqual(chosen([waits(1), waits(2), waits(3)], places), [
      [1, 'small'],
      [2, 'big'],
      [3, 'big'],
    ]);
  });

  it('nobody is given what was given to another', () => {
    assert.deepEqual(chosen([waits(1)], two), [[1, 'a']]);
  });

  it('the room that they say is left as it was', () => {
    const place = asks({ cpu: 4 });

    chosen([waits(1)], [place]);

    assert.equal(place.room.cpu, 4);
  });
});

describe('what is too large for every gap', () => {
  const capacity = { cpu: 8, memory_mb: 100_000, gpu: 0, disk_mb: 100_000 };
  const large = (waited_ms: number) => waits(1, { cpu: 8, waited_ms });
  const small = waits(2);

  it('waits while others fill the gaps, at first', () => {
    assert.deepEqual(order([large(patience_ms - 1), small], asks({ cpu: 1, capacity })), [2]);
  });

  it('has a place kept for it after a while', () => {
    assert.deepEqual(order([large(patience_ms), small], asks({ cpu: 1, capacity })), []);
    assert.deepEqual(order([large(patience_ms), small], asks({ cpu: 8, capacity })), [1]);
  });

  it('has the one with the most room, and no other', () => {
    const places = [
      asks({ name: 'full', cpu: 1, capacity }),
      asks({ name: 'nearly free', cpu: 6, capacity }),
    ];

    assert.deepEqual(chosen([large(patience_ms), small], places), [[2, 'full']]);
  });

  it('has none that would never be large enough', () => {
    const place = asks({ cpu: 1, capacity: { ...capacity, cpu: 4 } });

    assert.deepEqual(order([large(patience_ms), small], place), [2]);
  });
});

describe('under a cap', () => {
  const capped = (
    candidates: Candidate[],
    slots: { tenants?: [number, number][]; workflows?: [number, number][] },
    places = [asks()],
  ) =>
    chosen(candidates, places, [], {
      ...uncapped,
      tenants: new Map(slots.tenants),
      workflows: new Map(slots.workflows),
    }).map(([id]) => id);
  const four = [1, 2, 3, 4].map((id) => waits(id));
  const other = waits(9, { workflow_id: 5, run_id: 5 });

  it('no more are chosen than there are slots, by all workers together', () => {
    const two = [asks({ name: 'a' }), asks({ name: 'b' })];

    assert.deepEqual(capped(four, { workflows: [[1, 3]] }, two), [1, 2, 3]);
    assert.deepEqual(capped(four, { tenants: [[1, 3]] }, two), [1, 2, 3]);
    assert.deepEqual(capped(four, { workflows: [[1, 0]] }, two), []);
  });

  it('runs of one workflow share its slots, by priority and age', () => {
    const runs = [waits(1, { run_id: 8 }), waits(2, { run_id: 7 }), waits(3, { band: 0 })];

    assert.deepEqual(capped(runs, { workflows: [[1, 2]] }), [3, 2]);
  });

  it('a workflow without slots is passed over for another of its tenant', () => {
    assert.deepEqual(capped([...four, other], { workflows: [[1, 1]] }), [1, 9]);
  });

  it('workflows share the slots of their tenant, and keep their own caps', () => {
    const more = [other, waits(10, { workflow_id: 5, run_id: 5 }), waits(11, { workflow_id: 6 })];

    assert.deepEqual(
      capped([...four, ...more], { tenants: [[1, 3]], workflows: [[1, 1]] }),
      [1, 11, 9],
    );
  });

  it('a tenant without slots does not keep others waiting', () => {
    const others = [waits(7, { tenant_id: 2 }), waits(8, { tenant_id: 2 })];

    assert.deepEqual(capped([...four, ...others], { tenants: [[1, 1]] }), [1, 7, 8]);
  });

  it('what does not fit takes no slot', () => {
    const large = waits(1, { cpu: 200 });

    assert.deepEqual(capped([large, waits(2)], { workflows: [[1, 1]] }), [2]);
  });

  it('what is too large for a gap has no place kept for it while it has no slot', () => {
    const capacity = { cpu: 8, memory_mb: 100_000, gpu: 0, disk_mb: 100_000 };
    const large = waits(1, { cpu: 8, waited_ms: patience_ms });
    const places = [asks({ cpu: 1, capacity })];

    assert.deepEqual(capped([large, other], { workflows: [[1, 0]] }, places), [9]);
    assert.deepEqual(capped([large, other], { workflows: [[1, 1]] }, places), []);
  });
});

describe('what a worker was lost with', () => {
  const lost = waits(1, { lost_workers: [7] });
  const same = asks({ name: 'same', worker_id: 7 });
  const other = asks({ name: 'other', worker_id: 8 });

  it('goes to another one that asks', () => {
    assert.deepEqual(chosen([lost], [same, other]), [[1, 'other']]);
  });

  it('goes to the same one where no other asks', () => {
    assert.deepEqual(chosen([lost], [same]), [[1, 'same']]);
  });
});

describe('behind the candidates', () => {
  const hidesMore = (candidates: Candidate[], chosen: number[]) =>
    mayHideMore(
      candidates,
      candidates
        .filter(({ node_run_id }) => chosen.includes(node_run_id))
        .map((candidate) => ({ candidate })),
    );

  it('there may be more of a kind that was chosen whole, whatever is left of others', () => {
    const kinds = [waits(1), waits(2), waits(3, { gpu: 1 }), waits(4, { workflow_id: 2 })];

    assert.equal(hidesMore(kinds, [1, 2]), true);
    assert.equal(hidesMore(kinds, [4]), true);
    assert.equal(hidesMore(kinds, [1]), false);
    assert.equal(hidesMore(kinds, []), false);
  });
});

describe('what cannot be paid for', () => {
  const pays = (credits: [number, number][]) => ({ ...uncapped, credits: new Map(credits) });
  const picked = (candidates: Candidate[], credits: [number, number][]) =>
    chosen(candidates, [asks()], [], pays(credits)).map(([id]) => id);

  it('is passed over; what follows it and is cheaper is not', () => {
    const of = (id: number, cpu: number) => waits(id, { tenant_account_id: 7, cpu });
    assert.deepEqual(picked([of(1, 1), of(2, 1), of(3, 0.2)], [[7, 6000]]), [1, 3]);
    assert.deepEqual(picked([of(1, 1)], [[7, 4999]]), []);
    assert.deepEqual(picked([of(1, 1)], []), [], 'An account that could not be read has nothing.');
  });

  it('is so if either its tenant or its run cannot', () => {
    const both = { tenant_account_id: 7, run_account_id: 8 };
    const candidates = [waits(1, both), waits(2, { tenant_account_id: 7, run_id: 2 })];
    const cases: [[number, number][], number[]][] = [
      [
        [
          [7, 9000],
          [8, 5000],
        ],
        [1],
      ],
      [
        [
          [7, 10_000],
          [8, 5000],
        ],
        [1, 2],
      ],
      [
        [
          [7, 10_000],
          [8, 4000],
        ],
        [2],
      ],
    ];
    for (const [credits, ids] of cases) assert.deepEqual(picked(candidates, credits), ids);
  });
});
