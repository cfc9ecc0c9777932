import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atTerminal } from './program.ts';

describe('cogworks trash and restore', () => {
  it('list what was removed with its former place, and bring it back', async () => {
    const { cli } = await atTerminal();
    await cli.run('mkdir', '-p', '/Documents/old papers');
    await cli.run('rm', '/Documents/old papers');

    assert.match((await cli.run('trash')).answer, /^\d+ {2}\S+ \S+ {2}\/Documents\/old papers\n$/);
    await cli.run('mkdir', '/Documents/old papers');
    const taken = await cli.run('restore', '/Documents/old papers');
    assert.equal(taken.code, 1);
    assert.match(taken.said, /already an item named "old papers"/);
    const restored = await cli.run('restore', 'old papers', '--as', 'older');
    assert.equal(restored.answer, 'older is restored\n', restored.said);
    assert.deepEqual(await cli.json('trash'), []);
  });

  it('ask for an id when several have the name, and empty the trash', async () => {
    const { cli } = await atTerminal();
    for (const _ of [1, 2]) {
      await cli.run('mkdir', '/twice');
      await cli.run('rm', '/twice');
    }

    assert.match((await cli.run('restore', '/twice')).said, /say which by its id: \d+, \d+/);
    assert.match((await cli.run('restore', '/never')).said, /There is no \/never in the trash/);
    assert.deepEqual(await cli.json('trash', '--empty'), []);
  });
});

describe('cogworks rm, restore and mv of many', () => {
  it('take few requests, and tell which failed', async () => {
    const { owner, cli } = await atTerminal();
    const names = Array.from({ length: 60 }, (_, at) => `file ${at}`);
    for (const name of names) await owner.upload(name, name);
    const paths = names.map((name) => `/${name}`);
    await cli.run('mkdir', '/to');

    const moved = await cli.run('mv', ...paths, '/to', '/to');
    assert.equal(moved.code, 1);
    assert.match(moved.answer, /^60 of 61 items moved to \/to$/m);
    assert.match(moved.said, /cannot be moved into itself/);
    const inside = names.map((name) => `/to/${name}`);
    const removed = await cli.run('rm', ...inside);
    assert.equal(removed.answer, '60 of 60 items in the trash\n', removed.said);
    await owner.post('/cogs/', {
      ...{ name: 'file 3', cog_type: 'asset_folder' },
      parent_id: (await cli.json('ls', '/'))[0].id,
    });

    const restored = await cli.run('restore', ...inside);
    assert.equal(restored.code, 1);
    assert.equal(restored.answer, '59 of 60 items restored\n');
    assert.match(restored.said, /already an item named "file 3"/);
    assert.equal((await cli.run('restore', '/a', '/b', '--as', 'c')).code, 2);
    assert.match((await cli.run('rm', ...inside, '/to/none')).said, /There is no “none” in \/to/);
    const forEver = await cli.run('rm', '--permanent', ...inside);
    assert.equal(forEver.answer, '60 of 60 items removed for ever\n', forEver.said);
  });
});

describe('cogworks url', () => {
  it('makes a URL that works without a key until it is revoked', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('a.txt', 'for you');

    const { code, answer, said } = await cli.run('url', '/a.txt', '--expires', '30m');
    assert.deepEqual([code, said], [0, '']);
    assert.equal(await (await fetch(answer.trim())).text(), 'for you');
    const [live] = await cli.json('url', '--list');
    assert.equal((await cli.run('url', '--revoke', String(live.id))).code, 0);
    assert.notEqual((await fetch(answer.trim())).status, 200);
    assert.equal((await cli.run('url', '/a.txt', '--expires', 'soon')).code, 2);
  });
});
