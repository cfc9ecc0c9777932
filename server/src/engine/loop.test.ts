import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';
import { until } from '../../test/until.ts';
import { markDead, recordObjects } from '../objects/objects.ts';
import { startEngine } from './loop.ts';

describe('the engine', () => {
  it('frees what thousands of removed files held without waiting for its next round', async (t) => {
    const server = await startServer();
    const { owner } = await cast(server);
    const { db } = server.services;
    const { tenant_id } = owner.user;
    const sizes = Array.from({ length: 2000 }, () => 1);
    const objects = await recordObjects(db, tenant_id, sizes, 3600);
    const ids = objects.flatMap((object) => object?.id ?? []);
    await markDead(db, tenant_id, ids);

    const engine = startEngine(server.services);
    t.after(engine.stop);

    await until('all are gone', async () => {
      const [left] = await db`select from objects where state = 'dead' limit 1`;
      return left === undefined;
    });
  });
});
