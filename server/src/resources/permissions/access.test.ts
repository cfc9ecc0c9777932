import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import type { Db } from '../../db/connection.ts';
import { reach } from './access.ts';
import { accessIn, decidingGrants, levels, type PlacedGrant } from './rules.ts';

type Node = { id: number; parent?: Node; isDeleted: boolean; grants: PlacedGrant[] };

/** A pseudo-random generator that is reproducible by seed. */
function randomFrom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const past = '2020-01-01T00:00:00.000Z';
const future = '2120-01-01T00:00:00.000Z';

async function randomTree(
  db: Db,
  tenantId: number,
  userIds: number[],
  random: (n: number) => number,
) {
  const root = await rowOf(db, tenantId, userIds[0] ?? 0);
  const nodes: Node[] = [root];
  for (let count = 0; count < 60; count++) {
    const parent = nodes[random(nodes.length)] ?? root;
    const isDeleted = random(12) === 0;
    const [row] = await db<{ id: number }[]>`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id, deleted_at)
      values (
        ${tenantId}, ${parent.id}, ${`n${count}`}, 'asset_folder', ${userIds[0] ?? 0},
        ${isDeleted ? past : null}
      )
      returning id
    `;
    const node: Node = { id: row?.id ?? 0, parent, isDeleted, grants: [] };
    nodes.push(node);
    for (const user_id of userIds) {
      if (random(4) > 0) continue;
      const grant: PlacedGrant = {
        user_id,
        distance: 0,
        level: levels[random(3)] ?? 'viewer',
        ...(random(3) === 0 ? { can_upload: random(2) === 0 } : {}),
        ...(random(3) === 0 ? { can_delete: random(2) === 0 } : {}),
        ...([{}, { expires_at: past }, { expires_at: future }][random(3)] ?? {}),
      };
      node.grants.push(grant);
      await db`
        insert into permissions
          (tenant_id, cog_id, user_id, level, can_upload, can_delete, expires_at, created_by)
        values (
          ${tenantId}, ${node.id}, ${user_id}, ${grant.level}, ${grant.can_upload ?? null},
          ${grant.can_delete ?? null}, ${grant.expires_at ?? null}, ${user_id}
        )
      `;
    }
  }
  return nodes;
}

async function rowOf(db: Db, tenantId: number, userId: number): Promise<Node> {
  const [row] = await db<{ id: number }[]>`
    insert into cogs (tenant_id, name, cog_type, owner_id)
    values (${tenantId}, 'My Files', 'master_folder', ${userId})
    returning id
  `;
  return { id: row?.id ?? 0, isDeleted: false, grants: [] };
}

/** The expected result of the walk, by the rules alone. */
function expected(node: Node, userId: number, role: 'admin' | 'member') {
  const onTheWay: PlacedGrant[] = [];
  let depth = 0;
  for (let at: Node | undefined = node; at; at = at.parent) {
    if (at.isDeleted) return undefined;
    const distance = depth;
    onTheWay.push(...at.grants.map((grant) => ({ ...grant, distance })));
    if (at.parent) depth += 1;
  }
  const grant = decidingGrants(onTheWay, new Date()).find((one) => one.user_id === userId);
  return { depth, access: accessIn({ role, is_root: !node.parent, grant }) };
}

describe('the walk up to the root', () => {
  for (const seed of [1, 2, 3]) {
    it(`finds in a random tree (${seed}) exactly what the rules say`, async () => {
      const { server, owner, editor, viewer, admin } = await cast();
      const { db } = server.services;
      const tenantId = owner.user.tenant_id;
      const people = [owner, editor, viewer];
      const nodes = await randomTree(
        db,
        tenantId,
        people.map((one) => one.user.id),
        randomFrom(seed),
      );

      for (const { user } of [...people, admin]) {
        const who = { tenant_id: tenantId, user_id: user.id, role: user.role };
        const reached = await reach(
          db,
          who,
          nodes.map((node) => node.id),
        );
        const found = new Map(reached.map((cog) => [cog.id, cog]));
        for (const node of nodes) {
          const cog = found.get(node.id);
          const wanted = expected(node, user.id, user.role);
          assert.deepEqual(cog && { depth: cog.depth, access: cog.access }, wanted);
        }
      }
    });
  }
});
