import type { ToldNode } from '@cogworks/sdk/run-events';
import { describe, expect, it } from 'vitest';
import {
  type Counts,
  countsOf,
  noteOf,
  passedOf,
  runGraph,
  statusOfNode,
  tabTitleOf,
} from './run-status.ts';

const node = (
  node_key: string,
  expected: number | null,
  over: Partial<ToldNode> = {},
): ToldNode => ({
  ...{ node_key, expected, queued: 0, running: 0, success: 0, failure: 0, cancelled: 0 },
  skipped: 0,
  ...over,
});

describe('countsOf', () => {
  const told = { queued: 0, running: 0, success: 0, failure: 0, cancelled: 0, skipped: 0 };
  it('counts node runs that have not begun as waiting', () => {
    const counts = countsOf(node('each', 12_000, { queued: 400, running: 7, success: 3 }));
    expect(counts).toEqual({ ...told, queued: 400, running: 7, success: 3, pending: 11_590 });
  });
  it('has none of a node whose lanes are unknown, and zero of one without lanes', () => {
    expect(countsOf(node('each', null))).toBeUndefined();
    expect(countsOf(node('each', 0))).toEqual({ ...told, pending: 0 });
  });
});

describe('statusOfNode', () => {
  const table: [Counts | undefined, string][] = [
    [undefined, 'pending'],
    [{}, 'skipped'],
    [{ pending: 2 }, 'pending'],
    [{ queued: 3 }, 'queued'],
    [{ queued: 2, success: 1 }, 'running'],
    [{ running: 1, failure: 4 }, 'running'],
    [{ success: 5 }, 'success'],
    [{ success: 5, skipped: 1 }, 'success'],
    [{ success: 97, failure: 3 }, 'partial_success'],
    [{ failure: 2 }, 'failure'],
    [{ failure: 2, cancelled: 1 }, 'failure'],
    [{ success: 5, cancelled: 1 }, 'cancelled'],
    [{ cancelled: 2, skipped: 1 }, 'cancelled'],
    [{ skipped: 2 }, 'skipped'],
  ];
  it.each(table)('of %o is %s', (counts, status) => expect(statusOfNode(counts)).toBe(status));
});

describe('noteOf', () => {
  const table: [Counts | undefined, string][] = [
    [undefined, 'waiting'],
    [{}, 'no files'],
    [{ cancelled: 1 }, 'cancelled'],
    [{ running: 1 }, 'running'],
    [{ success: 1 }, 'done'],
    [{ success: 97, failure: 3 }, '97 of 100 done · 3 failed'],
    [{ pending: 4, skipped: 1 }, '0 of 5 done · 1 skipped'],
    [{ success: 98_000, failure: 2000 }, '98,000 of 100,000 done · 2,000 failed'],
  ];
  it.each(table)('of %o says "%s"', (counts, note) => expect(noteOf(counts)).toBe(note));
});

describe('passedOf', () => {
  const table: [Counts | undefined, string, boolean][] = [
    [undefined, '', false],
    [{ queued: 5 }, '', false],
    [{ success: 40, running: 60 }, '40', false],
    [{ success: 100 }, '100', false],
    [{ success: 97, failure: 3 }, '100 → 97', true],
    [{ success: 98_000, failure: 2000 }, '100,000 → 98,000', true],
    [{ success: 3, skipped: 2 }, '5 → 3', false],
    [{ failure: 2 }, '2 → 0', true],
  ];
  it.each(table)('of %o says "%s"', (counts, text, isLess) =>
    expect(passedOf(counts)).toEqual({ text, isLess }),
  );
});

it('tells on lines what steps for each file passed on, and nothing of others', () => {
  const to = (node: string) => ({ node, port: 'in' });
  const graph = {
    nodes: [
      { key: 'each', node_definition_id: 1, map: true },
      { key: 'gather', node_definition_id: 1 },
      { key: 'last', node_definition_id: 1, map: true },
    ],
    edges: [
      { from: { node: 'each', port: 'out' }, to: to('gather') },
      { from: { node: 'gather', port: 'out' }, to: to('last') },
    ],
    inputs: [],
    variables: [],
  };
  const told = [node('each', 3, { success: 2, failure: 1 }), node('gather', 1, { success: 1 })];
  const texts = runGraph(graph, told).nodes.map(({ passed }) => passed?.text);
  expect(texts).toEqual(['3 → 2', undefined, undefined]);
});

it('draws the counts of a run with more node runs than are included in it', () => {
  const graph = {
    nodes: ['each', 'opened', 'gather'].map((key) => ({ key, node_definition_id: 1 })),
    edges: [],
    inputs: [],
    variables: [],
  };
  const each = node('each', 12_000, { success: 3000, cancelled: 9000 });
  const told = [each, node('opened', null), node('gather', 1, { cancelled: 1 })];
  expect(runGraph(graph, told).nodes).toMatchObject([
    {
      note: '3,000 of 12,000 done · 9,000 cancelled',
      status: 'cancelled',
      shares: [
        { status: 'success', share: 0.25 },
        { status: 'cancelled', share: 0.75 },
      ],
    },
    { note: 'waiting', status: 'pending', shares: [] },
    { note: 'cancelled', status: 'cancelled' },
  ]);
});

it('draws inputs and nodes of one name apart', () => {
  const graph = {
    nodes: [{ key: 'files', node_definition_id: 1 }],
    edges: [{ from: { input: 'files' }, to: { node: 'files', port: 'in' } }],
    inputs: [{ name: 'files' }],
    variables: [],
  };
  const { nodes, edges } = runGraph(graph, [node('files', 1, { success: 1 })]);
  expect(nodes.map(({ key }) => key)).toEqual(['input:files', 'files']);
  expect(edges).toEqual([{ from: 'input:files', to: 'files' }]);
  expect(nodes[1]).toMatchObject({ status: 'success', shares: [{ status: 'success', share: 1 }] });
});

describe('the title of the tab', () => {
  const moment = (status: string, nodes: ToldNode[]) =>
    ({ run: { status, run_files: [] }, progress: { progress_percentage: 41.7 }, nodes }) as never;
  const each = node('each', 100, { success: 97, failure: 3 });
  const table: [string, ToldNode[], string][] = [
    ['running', [each], '41 % Letters'],
    ['success', [each], '✓ Letters'],
    ['partial_success', [each, node('gather', 1)], '✓ 97 of 100: Letters'],
    [
      'partial_success',
      [each, node('then', 100, { success: 93, failure: 4, skipped: 3 })],
      '✓ 93 of 100: Letters',
    ],
    ['failure', [each], '✗ Letters'],
    ['cancelled', [each], '– Cancelled: Letters'],
  ];
  it.each(table)('of a run with status %s', (status, nodes, words) =>
    expect(tabTitleOf(moment(status, nodes), 'Letters')).toBe(words),
  );

  it('counts a file once that failed in two branches', () => {
    const files = ['failure', 'success', 'success'].map((status) => ({
      ...{ status, direction: 'input' },
    }));
    const branch = (key: string) => node(key, 3, { success: 2, failure: 1 });
    const now = {
      ...{ progress: {}, nodes: [branch('a'), branch('b')] },
      run: { status: 'partial_success', run_files: files },
    };
    expect(tabTitleOf(now as never, 'Letters')).toBe('✓ 2 of 3: Letters');
  });
});
