import { expect, it } from 'vitest';
import { cellOf, placeOfCell } from './cell-key.ts';

it('an address of a cell is read as it was written', () => {
  for (const place of [{ node_key: 'each', shard_index: 0 }, { node_key: 'gather' }]) {
    expect(placeOfCell(cellOf(place))).toEqual(place);
  }
  expect(placeOfCell('a:b:12')).toEqual({ node_key: 'a:b', shard_index: 12 });
});
