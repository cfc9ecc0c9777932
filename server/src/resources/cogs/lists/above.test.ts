import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../../test/cast.ts';
import { folder, share } from '../../../../test/sharing.ts';
import { statementsOf } from '../../../../test/statements.ts';

type Row = { name: string; above?: { id: number; name: string }[] };
const placesOf = (rows: Row[]) =>
  Object.fromEntries(
    rows.map(({ name, above }) => [
      name,
      above
        ?.slice(1)
        .map((one) => one.name)
        .join('/'),
    ]),
  );

describe('with_above', () => {
  it('tells where the hits of a search are, by one statement for all of them', async () => {
    const { owner, server } = await cast();
    const letters = await folder(owner, 'Letters');
    const year = await folder(owner, '2026', letters.id);
    await owner.upload('found 1', 'x', year.id);
    await owner.upload('found 2', 'x', letters.id);
    await owner.upload('found 3', 'x');
    const search = (query: string) => owner.get(`/cogs/search?q=found${query}`);

    const { body } = await search('&with_above=true');

    assert.deepEqual(placesOf(body), {
      'found 1': 'Letters/2026',
      'found 2': 'Letters',
      'found 3': '',
    });
    const { id, name, cog_type } = letters;
    assert.deepEqual(body[1].above.at(-1), { id, name, cog_type });
    assert.equal((await search('')).body[0].above, undefined);
    const plain = await statementsOf(server, () => search(''));
    const placed = await statementsOf(server, () => search('&with_above=true'));
    assert.equal(placed.texts.length, plain.texts.length + 1);
  });

  it('leaves out the folders that the caller may not see', async () => {
    const { owner, viewer } = await cast();
    const hidden = await folder(owner, 'hidden');
    const shown = await folder(owner, 'shown', hidden.id);
    await owner.upload('found', 'x', shown.id);
    await share(owner, shown.id, viewer, 'viewer');

    const found = await viewer.get('/cogs/search?q=found&with_above=true');
    const shared = await viewer.get('/cogs/shared-with-me?with_above=true');

    assert.deepEqual(placesOf(found.body), { found: 'shown' });
    assert.deepEqual(placesOf(shared.body), { shown: '' });
  });

  it('tells from where something was deleted, unless that is deleted too', async () => {
    const { owner } = await cast();
    const letters = await folder(owner, 'Letters');
    const other = await folder(owner, 'Other');
    for (const parent of [letters, other]) {
      const { body } = await owner.upload(`from ${parent.name}`, 'x', parent.id);
      await owner.delete(`/cogs/${body.id}`);
    }
    await owner.delete(`/cogs/${other.id}`);

    const { body } = await owner.get('/cogs/trash?with_above=true');

    assert.deepEqual(placesOf(body), {
      Other: '',
      'from Letters': 'Letters',
      'from Other': undefined,
    });
  });
});
