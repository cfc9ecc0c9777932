/**
 * Servers killed again and again while clients upload, copy and delete: afterwards every acknowledged
 * content is there, nothing half done is, and what is stored is what is recorded. KILL_STORM_SECONDS
 * makes it longer.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { readUsage } from '../../src/objects/quota.ts';
import { client } from '../cast.ts';
import { collectAll } from '../duties.ts';
import { ended } from '../installation.ts';
import { inventoryOf } from '../inventory.ts';
import { until } from '../until.ts';
import { assertWholeTree } from '../whole-tree.ts';
import { openForSeveral, type Server } from './several-servers.ts';
import { type Known, type Place, type Storm, sha256, stormClients } from './storm-clients.ts';

const seconds = process.env.KILL_STORM_SECONDS;
const usualKills = 3;

describe('servers killed while clients change files', () => {
  it('keep what they acknowledged and nothing else', { timeout: 3_600_000 }, async (test) => {
    const { dir, db, start, admin } = await openForSeveral();
    const servers = [await start(), await start()];
    const key = await admin(
      'create-api-key',
      ...['--email', 'admin@localhost', '--description', 'storm'],
    );
    const placeAt = async ({ url }: Server): Promise<Place> => {
      const { body } = await client(url).post('/api-keys/token', { api_key: key });
      return { url, ...client(url, body.access_token) };
    };
    const places = await Promise.all(servers.map(placeAt));
    const folder = { name: 'Storm', cog_type: 'asset_folder' };
    const { body: place } = await (places[0] as Place).post('/cogs/', folder);

    const { storm, stop } = stormClients(places, place.id, 6);
    const restart = async (at: number) => {
      const fresh = await start();
      servers[at] = fresh;
      places[at] = await placeAt(fresh);
    };
    const end = performance.now() + Number(seconds ?? 0) * 1000;
    let kills = 0;
    while (kills < usualKills || performance.now() < end) {
      const seen = storm.acknowledged + randomInt(40);
      await until('the clients have gone on', () => storm.acknowledged > seen);
      // Every third time both at once.
      const killed = kills % 3 === 2 ? [0, 1] : [kills % 2];
      await Promise.all(killed.map((at) => ended((servers[at] as Server).process, 'SIGKILL')));
      await Promise.all(killed.map(restart));
      kills += killed.length;
    }
    await stop();

    assert.deepEqual(storm.odd, []);
    const shown = await filesIn(places[0] as Place, place.id);
    const contents = await compare(places, storm, shown);
    test.diagnostic(
      `${kills} kills, ${storm.acknowledged} acknowledged calls, ${storm.unanswered} without an answer, ` +
        `${shown.size} files with ${contents} contents compared`,
    );
    for (const { process } of servers) assert.equal(await ended(process, 'SIGTERM'), 0);

    // The bytes of what was begun and not finished go when their time is over.
    const inventory = inventoryOf(dir);
    await collectAll({ db, storage: await inventory.open() }, 9);
    assert.deepEqual([await inventory.partial(), await inventory.arriving()], [[], []]);
    const [{ tenant_id } = { tenant_id: 0 }] = await db<{ tenant_id: number }[]>`
      select tenant_id from cogs where id = ${place.id}
    `;
    await assertWholeTree(db, tenant_id);
    const said = JSON.parse(await admin('check-storage'));
    const counts = [said.missing, said.other_size, said.unknown].map(({ count }) => count);
    assert.deepEqual([counts, said.miscounted_tenants], [[0, 0, 0], []]);
    await assertOnlyContents(tenant_id);

    async function assertOnlyContents(tenantId: number) {
      const [row] = await db<{ bytes: number; objects: number; unused: number }[]>`
        with used as (
          select object_id from cogs where tenant_id = ${tenantId} and object_id is not null
          union
          select object_id from file_versions where tenant_id = ${tenantId}
        )
        select
          (select coalesce(sum(size_bytes), 0)::bigint from objects where id in (select * from used))
            as bytes,
          (select count(*) from used) as objects,
          (
            select count(*) from objects
            where tenant_id = ${tenantId} and id not in (select * from used)
          ) as unused
      `;
      assert.equal(row?.unused, 0);
      assert.equal((await inventory.keys()).length, row?.objects);
      const { used_bytes, reserved_bytes } = await readUsage(db, tenantId);
      assert.deepEqual([used_bytes, reserved_bytes], [row?.bytes, 0]);
    }
  });
});

type Shown = { id: number; name: string; checksum_sha256: string };

async function filesIn(at: Place, folderId: number): Promise<Map<string, Shown>> {
  const files = new Map<string, Shown>();
  for (let next = `/cogs/?parent_id=${folderId}&limit=500`; next; ) {
    const { body, headers } = await at.get(next);
    for (const file of body) files.set(file.name, file);
    const link = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
    next = link ? new URL(link).pathname + new URL(link).search : '';
  }
  return files;
}

/** Downloads everything. @returns how many contents. */
async function compare(places: Place[], { files }: Storm, shown: Map<string, Shown>) {
  let count = 0;
  for (const name of shown.keys()) assert.ok(files.has(name), `${name} came from nowhere`);
  for (const [name, known] of files) {
    const file = shown.get(name);
    if (known.isThere !== 'maybe') assert.equal(file !== undefined, known.isThere === 'yes', name);
    if (file) count += await compareContents(places[count % 2] as Place, file, known);
  }
  return count;
}

async function compareContents(at: Place, { id, name, ...file }: Shown, known: Known) {
  const last = known.acknowledged.at(-1);
  const isExpected = file.checksum_sha256 === last || known.maybe.has(file.checksum_sha256);
  assert.ok(isExpected, `${name} has another content`);
  const { body: versions } = await at.get(`/cogs/${id}/versions?limit=1000`);
  const found = new Set<string>();
  for (const { version, checksum_sha256 } of versions) {
    const answer = await at.fetch(`/cogs/${id}/download?version=${version}`);
    const sha = sha256(new Uint8Array(await answer.arrayBuffer()));
    assert.equal(sha, checksum_sha256, `version ${version} of ${name}`);
    assert.ok(known.acknowledged.includes(sha) || known.maybe.has(sha), `${version} of ${name}`);
    found.add(sha);
  }
  for (const sha of known.acknowledged) assert.ok(found.has(sha), `${name} lost ${sha}`);
  return versions.length as number;
}
