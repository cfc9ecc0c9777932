import { definitions, graph, mapped, node } from '@cogworks/graph/examples';
import { describe, expect, it } from 'vitest';
import { duplicated, movedInOrder } from '../edits/step-edits.ts';
import { faultsOf } from '../faults/check.ts';
import { rowsOf } from './outline-rows.ts';

const names = new Map([[1, 'Convert']]);
const keysOf = (given: Parameters<typeof rowsOf>[0]) =>
  rowsOf(given, definitions, [], names).map(({ key }) => key);

describe('the list of steps', () => {
  const given = graph(
    [
      node('report', 2, { title: 'Report', when: 'vars.' }),
      mapped('crop', 1, { title: 'Crop' }),
      node('start', 5),
    ],
    ['files > crop.in', 'crop.out > report.in'],
  );
  const rows = rowsOf(given, definitions, faultsOf(given, definitions), names);

  it('is in the order of the work, and says what each takes', () => {
    expect(rows.map(({ title, takes }) => `${title} ${takes}`)).toEqual([
      'Crop takes any file from files',
      'Report takes any file from Crop',
      'start takes no files',
    ]);
  });

  it('says how often each runs, what it is, and what is wrong', () => {
    expect(rows[0]).toMatchObject({ times: 'runs once for each file of files', kind: 'Convert' });
    expect(rows[1]).toMatchObject({ times: 'runs once', faults: 1, hasCondition: true });
  });
});

describe('a step in the list', () => {
  const given = graph([node('a', 5), node('b', 1), node('c', 5)], ['a.out > b.in']);

  it('moves, but never before what it waits for', () => {
    expect(keysOf(given)).toEqual(['a', 'b', 'c']);
    expect(keysOf(movedInOrder(given, 'c', -1))).toEqual(['a', 'c', 'b']);
    expect(movedInOrder(given, 'b', -1)).toBe(given);
    expect(movedInOrder(given, 'a', -1)).toBe(given);
  });

  it('is duplicated behind itself, with the same files to take', () => {
    const { graph: now, key } = duplicated(given, 'b');
    expect(key).not.toBe('b');
    expect(keysOf(now)).toEqual(['a', 'b', key, 'c']);
    expect(now.edges.at(-1)).toEqual({
      from: { node: 'a', port: 'out' },
      to: { node: key, port: 'in' },
    });
  });
});
