import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { assertWholeTree } from '../../../test/whole-tree.ts';

describe('many changes of one tree at once', () => {
  it('all get an answer that fits, and leave a tree', async () => {
    const { owner, editor, admin, server } = await cast();
    const people = [owner, editor, admin];
    const make = (by: number, name: string, parent_id?: number) =>
      people[by % 3]?.post('/cogs/', {
        name,
        cog_type: 'asset_folder',
        ...(parent_id === undefined ? {} : { parent_id }),
      });
    const ids: number[] = [];
    for (let n = 0; n < 8; n++) ids.push((await make(2, `start${n}`, ids.at(-1)))?.body.id);
    await admin.post(`/permissions/cogs/${ids[0]}`, {
      target_type: 'cog',
      target_id: ids[0],
      user_id: owner.user.id,
      level: 'owner',
    });

    const statuses = new Set<number>();
    for (let round = 0; round < 12; round++) {
      const answers = await Promise.all(
        Array.from({ length: 16 }, async (_, n) => {
          const pick = (step: number) => ids[(round * 7 + n * step) % ids.length] ?? 0;
          const by = people[n % 3];
          switch (n % 8) {
            case 0:
            case 1:
            case 2:
            case 3:
              return make(n, `r${round}n${n}`, pick(5));
            case 4:
            case 5:
              return admin.patch(`/cogs/${pick(3)}`, { parent_id: pick(11) });
            case 6:
              return by?.patch(`/cogs/${pick(1)}`, { name: `new${round}n${n}` });
            default:
              return round % 4 === 3 ? admin.delete(`/cogs/${pick(13)}`) : by?.get('/cogs/');
          }
        }),
      );
      for (const answer of answers) {
        statuses.add(answer?.status ?? 0);
        if (answer?.status === 201) ids.push(answer.body.id);
      }
    }

    for (const status of statuses)
      assert.ok([200, 201, 204, 403, 404, 409].includes(status), `${status}`);
    await assertWholeTree(server.services.db, owner.user.tenant_id);
  });
});
