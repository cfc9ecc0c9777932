/** Replaces the master key while two servers run: nothing fails, and nothing is lost. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openKeys } from '../../src/keys/keys.ts';
import { readCredentials } from '../../src/resources/secrets/secrets.ts';
import type { client } from '../cast.ts';
import { ended } from '../installation.ts';
import { until } from '../until.ts';
import { openForSeveral } from './several-servers.ts';

describe('a master key that is replaced twice under load', () => {
  it('fails no request of two servers, and loses no secret and no tenant', async () => {
    const { dir, env, db, lines, start, admin, adminAt } = await openForSeveral();
    const servers = [await start(), await start()];
    const people = await adminAt(servers);

    const load = underLoad(people);
    const tenants: number[] = [];
    for (const name of ['One', 'Two']) {
      const seen = load.count();
      await until('both servers work', () => load.count() > seen + 20);
      const made = admin('create-tenant', '--name', name, '--admin-email', `${name}@x.test`);
      await admin('rotate-master-key');
      tenants.push(JSON.parse(await made).tenant_id);
    }
    const seen = load.count();
    await until('both servers work', () => load.count() > seen + 20);
    const { values, refusals } = await load.stop();

    assert.deepEqual(refusals.slice(0, 5), []);
    for (const server of servers) assert.equal(await ended(server.process, 'SIGTERM'), 0);
    assert.deepEqual(
      lines.filter((line) => /"level":"?(error|50)/.test(line)),
      [],
    );
    assert.deepEqual(
      (await readdir(dir)).filter((name) => /master/.test(name)),
      ['master.key'],
    );
    const keys = await openKeys(readConfig(env), db);
    const names = [...values.keys()];
    const { generic } = await readCredentials({ db, lookups: db, taken: db, keys }, 1, {
      servers: [],
      names,
    });
    assert.deepEqual(new Map(names.map((name) => [name, generic(name)])), values);
    for (const id of tenants) assert.equal((await keys.tenantKey(db, id)).symmetricKeySize, 32);
    const again = await start();
    assert.equal(await ended(again.process, 'SIGTERM'), 0);
  });
});

/** Stores and changes secrets through every server at once, until stopped. */
function underLoad(people: ReturnType<typeof client>[]) {
  const values = new Map<string, string>();
  const refusals: string[] = [];
  let count = 0;
  let isOver = false;
  const loops = people.flatMap((person, server) =>
    [0, 1].map(async (lane) => {
      for (let round = 0; !isOver; round += 1) {
        const name = `SECRET_${server}_${lane}_${round}`;
        const made = await person.post('/secrets', { name, kind: 'generic', value: 'first' });
        const value = `value ${Math.random()}`;
        const changed = await person.put(`/secrets/${made.body.id}`, { value });
        if (made.status !== 201 || changed.status !== 200)
          refusals.push(`${made.status} ${changed.status} ${JSON.stringify(changed.body)}`);
        values.set(name, value);
        count += 1;
      }
    }),
  );
  const stop = async () => {
    isOver = true;
    await Promise.all(loops);
    return { values, refusals };
  };
  return { count: () => count, stop };
}
