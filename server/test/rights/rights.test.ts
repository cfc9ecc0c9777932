/**
 * The invariants of rights under random sequences of calls: moves, grants, changes of grants,
 * revocations, new folders, deletions, restorations, and passing time. A failure prints its seed and path;
 * RIGHTS_SEED and RIGHTS_PATH reproduce it.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/db/connection.ts';
import { type Client, cast } from '../cast.ts';
import { checkLaw } from './law.ts';
import {
  allBits,
  bits,
  bitsOf,
  type GrantState,
  isBelow,
  momentsOf,
  readState,
  rightsAt,
  type State,
  wayUp,
} from './reference.ts';

const hour = 3_600_000;
const index = fc.nat({ max: 1000 });
const level = fc.constantFrom('viewer' as const, 'editor' as const, 'owner' as const);
const flag = fc.option(fc.boolean(), { nil: undefined, freq: 1 });
const hours = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });
const wanted = fc.record({
  level,
  can_upload: flag,
  can_share: flag,
  can_delete: flag,
  hours,
});
type Wanted = { level: GrantState['level']; hours?: number | undefined } & Partial<
  Record<'can_upload' | 'can_share' | 'can_delete', boolean | undefined>
>;

const seeds = fc.record({
  /** The parent of each folder, as an index of an earlier one. */
  tree: fc.array(index, { minLength: 8, maxLength: 8 }),
  grants: fc.array(fc.record({ cog: index, user: index, wanted }), { minLength: 4, maxLength: 12 }),
});
const call = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('move'), by: index, cog: index, to: index }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('share'), by: index, cog: index, to: index, wanted }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('patch'), by: index, cog: index, wanted }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke'), by: index, cog: index }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('create'), by: index, cog: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), by: index, cog: index }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('bring back'), by: index, cog: index, to: index }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), by: index, cog: index }) },
) as fc.Arbitrary<Call>;
type Call = { do: string; by: number; cog: number; to?: number; wanted?: Wanted };

describe('any sequence of calls', () => {
  it('gives nobody a right that they did not have and were not given', async () => {
    const { owner, editor, viewer, admin, server } = await cast();
    const world = new World(server.services.db, [owner, editor, viewer, admin]);
    const seed = process.env.RIGHTS_SEED;

    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.array(call, { minLength: 6, maxLength: 14 }),
        async (start, calls) => {
          await world.begin(start);
          for (const one of calls) await world.step(one);
          await world.compare();
        },
      ),
      {
        numRuns: Number(process.env.RIGHTS_SEQUENCES ?? 300),
        interruptAfterTimeLimit: 120_000,
        ...(seed === undefined ? {} : { seed: Number(seed) }),
        ...(process.env.RIGHTS_PATH ? { path: process.env.RIGHTS_PATH } : {}),
      },
    );

    // Refusing everything would keep the law too.
    for (const kind of ['move', 'share', 'patch', 'revoke', 'create', 'delete', 'bring back']) {
      assert.ok((world.accepted.get(kind) ?? 0) > 0, `no ${kind} was ever accepted`);
    }
  });
});

class World {
  readonly accepted = new Map<string, number>();
  private readonly db: Db;
  private readonly people: Client[];
  private ids: number[] = [];
  private rounds = 0;
  private state: State = { cogs: new Map(), grants: [] };

  constructor(db: Db, people: Client[]) {
    this.db = db;
    this.people = people;
  }

  private get tenantId() {
    return this.people[0]?.user.tenant_id ?? 0;
  }

  /** Starts from any tree and any grants: the invariants hold from every state. */
  async begin({
    tree,
    grants,
  }: {
    tree: number[];
    grants: { cog: number; user: number; wanted: Wanted }[];
  }) {
    this.rounds += 1;
    await this.db`delete from permissions where tenant_id = ${this.tenantId}`;
    const { body: root } = await this.pick(this.people, 3).get('/cogs/root');
    this.ids = [root.id];
    const added = await this.addCogs(root.id, tree.length);
    this.ids.push(...added);
    const parents = tree.map((parent, place) => this.pick(this.ids.slice(0, place + 1), parent));
    await this.db`
      update cogs set parent_id = moved.parent_id
      from unnest(${added}::bigint[], ${parents}::bigint[]) as moved (id, parent_id)
      where cogs.tenant_id = ${this.tenantId} and cogs.id = moved.id
    `;
    const rows = grants.map(({ cog, user, wanted }) => ({
      ...this.bodyOf(wanted),
      cog_id: this.pick(this.ids, cog),
      user_id: this.member(user).user.id,
    }));
    await this.db`
      insert into permissions
        (tenant_id, cog_id, user_id, level, can_upload, can_share, can_delete, expires_at, created_by)
      select ${this.tenantId}, cog_id, user_id, level, can_upload, can_share, can_delete, expires_at, user_id
      from jsonb_to_recordset(${this.db.json(rows)}) as given (
        cog_id bigint, user_id bigint, level text, can_upload boolean, can_share boolean,
        can_delete boolean, expires_at timestamptz
      )
      on conflict do nothing
    `;
    await this.read();
  }

  private async addCogs(rootId: number, count: number): Promise<number[]> {
    const rows = await this.db<{ id: number }[]>`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id, levels_below)
      select ${this.tenantId}, ${rootId}, ${this.rounds} || '-' || place, 'asset_folder',
        ${this.member(0).user.id}, 10
      from generate_series(1, ${count}::int) as place
      returning id
    `;
    return rows.map((row) => row.id);
  }

  /** One call through HTTP, and the invariants between the states before and after. */
  async step(call: Call): Promise<void> {
    const now = Date.now();
    const by = this.pick(this.people, call.by);
    const cog = this.pick(this.ids, call.cog);
    if (call.do === 'wait') return this.wait();
    const before = this.state;
    const { status, body } = await this.send(call, by, cog);
    const what = `${by.user.id} ${JSON.stringify(call)} on ${cog}: ${status}`;
    assert.ok(status < 500, what);
    if (status >= 400) {
      this.checkRefusal(call, by, cog, before, now, `${what} ${JSON.stringify(body)}`);
      return;
    }
    this.accepted.set(call.do, (this.accepted.get(call.do) ?? 0) + 1);
    if (call.do === 'create') this.ids.push(body.id);
    if (call.do === 'bring back') await this.restore(cog, this.pick(this.people, call.to ?? 0));
    await this.read();
    checkLaw(
      this.people.map(({ user }) => user),
      {
        // What is deleted and restored gives nobody anything, whoever does it.
        by: call.do === 'bring back' ? { id: 0, role: 'member' } : by.user,
        what,
        before,
        after: this.state,
        now,
        ...(call.do === 'move' ? { moved: cog } : {}),
      },
    );
  }

  /** By that user or, if they may not, by an admin. */
  private async restore(cog: number, by: Client) {
    const { status } = await by.post(`/cogs/${cog}/restore`);
    if (status === 200) return;
    assert.equal(status, 404);
    assert.equal((await this.pick(this.people, 3).post(`/cogs/${cog}/restore`)).status, 200);
  }

  private send(call: Call, by: Client, cog: number) {
    const grants = this.state.grants;
    const grant = grants[call.cog % Math.max(1, grants.length)]?.id ?? 0;
    switch (call.do) {
      case 'move':
        return by.patch(`/cogs/${cog}`, { parent_id: this.pick(this.ids, call.to ?? 0) });
      case 'share':
        return by.post(`/permissions/cogs/${cog}`, {
          target_type: 'cog',
          target_id: cog,
          user_id: this.member(call.to ?? 0).user.id,
          ...this.bodyOf(call.wanted),
        });
      case 'patch':
        return by.patch(`/permissions/${grant}`, { expires_at: null, ...this.bodyOf(call.wanted) });
      case 'revoke':
        return by.delete(`/permissions/${grant}`);
      case 'create': {
        const name = `${this.rounds}-new-${this.ids.length}`;
        return by.post('/cogs/', { name, cog_type: 'asset_folder', parent_id: cog });
      }
      default:
        return by.delete(`/cogs/${cog}`);
    }
  }

  /** A user with permanent full access to a cog and everything below must not be refused. */
  private checkRefusal(
    call: Call,
    by: Client,
    cog: number,
    state: State,
    now: number,
    what: string,
  ) {
    const all = [...state.cogs.keys()].filter((id) => id === cog || isBelow(state, id, cog));
    const hasAll =
      by.user.role === 'admin' ||
      all.every((id) =>
        momentsOf(now, state).every((at) => rightsAt(state, by.user.id, id, at) === allBits),
      );
    const isThere = wayUp(state, cog).length > 1;
    if (!hasAll || !isThere || !['move', 'share', 'delete'].includes(call.do)) return;
    if (call.do === 'share') return assert.match(what, /last_owner/, what);
    const target = this.pick(this.ids, call.to ?? 0);
    const mayAdd =
      by.user.role === 'admin' || (rightsAt(state, by.user.id, target, now) & bits.upload) > 0;
    const canGo = wayUp(state, target).length > 0 && !all.includes(target) && mayAdd;
    if (call.do === 'move' && !canGo) return;
    assert.fail(`refused: ${what}`);
  }

  /** An hour passes; grants expire at half hours, so that none does during a comparison. */
  private async wait() {
    await this.db`
      update permissions set expires_at = expires_at - interval '1 hour'
      where tenant_id = ${this.tenantId}
    `;
    await this.read();
  }

  /** The server's answers for every user and cog match the reference. */
  async compare(): Promise<void> {
    const { cogs } = this.state;
    const cog = this.ids[this.rounds % this.ids.length] ?? 0;
    if (wayUp(this.state, cog).length < 2 || !cogs.has(cog)) return;
    for (const who of this.people.slice(0, 3)) {
      const { body } = await this.pick(this.people, 3).get(
        `/permissions/cogs/${cog}/effective?user_id=${who.user.id}`,
      );
      const said = body.level === undefined ? 0 : bitsOf(body);
      assert.equal(said, rightsAt(this.state, who.user.id, cog, Date.now()));
    }
  }

  private async read() {
    this.state = await readState(this.db, this.tenantId, this.ids);
  }

  private pick<T>(from: readonly T[], place: number): T {
    return from[place % from.length] as T;
  }

  private member(place: number): Client {
    return this.pick(this.people.slice(0, 3), place);
  }

  private bodyOf({ hours, ...wanted }: Wanted = { level: 'viewer' }) {
    const expires_at = hours && new Date(Date.now() + hours * hour - hour / 2).toISOString();
    return { ...wanted, ...(expires_at ? { expires_at } : {}) };
  }
}
