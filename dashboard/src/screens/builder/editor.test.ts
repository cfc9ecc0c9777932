import {
  addInput,
  addNode,
  addNote,
  addVariable,
  connect,
  disconnect,
  keyFor,
  moveNodes,
  removeInput,
  removeNodes,
  removeNote,
  removeVariable,
  renameInput,
  renameKey,
  renameVariable,
  setNodeField,
  setNote,
  setParam,
  setRatio,
  setVariable,
} from '@cogworks/graph/edit/edits';
import { definition, edge, graph, node, width } from '@cogworks/graph/examples';
import { canonicalJson } from '@cogworks/graph/hash';
import { seeded } from '@cogworks/graph/random';
import type { Graph } from '@cogworks/graph/types';
import { describe, expect, it } from 'vitest';
import { createEditor } from './editor.ts';

const start = () =>
  graph(
    [node('a', 1, { params: { width: '{{vars.width}}' }, when: 'vars.width > 3' }), node('b', 1)],
    ['files > a.in', 'a.out > b.in'],
    { variables: [width] },
  );

const editorOf = (one: Graph = start()) =>
  createEditor({ graph: one, definitions: new Map(), isReadOnly: false });

/** Any command, on things that are there or not. */
function anyEdit(random: () => number): (graph: Graph) => Graph {
  const number = (below: number) => Math.floor(random() * below);
  const pick = <Item>(items: readonly Item[], otherwise: Item) =>
    items[number(items.length)] ?? otherwise;
  const key = (one: Graph) => pick(one.nodes, node('none', 1)).key;
  const name = (one: Graph) => pick(one.inputs, { name: 'none' }).name;
  const variable = (one: Graph) => pick(one.variables, width).variable_name;
  const note = (one: Graph) => pick(one.notes ?? [], { id: 'none' } as never).id;
  const place = () => ({ x: number(100), y: number(100) });
  const size = { width: 10, height: 10 };
  const commands: ((one: Graph) => Graph)[] = [
    (one) => addNode(one, definition(1, [], []), { key: keyFor(one, 'n'), position: place() }),
    (one) => removeNodes(one, [key(one), key(one)]),
    (one) =>
      connect(one, { from: { node: key(one), port: 'out' }, to: { node: key(one), port: 'in' } }),
    (one) => disconnect(one, pick(one.edges, edge('x > y.in'))),
    (one) => setRatio(one, pick(one.edges, edge('x > y.in')), pick([undefined, random()], 1)),
    (one) => setNodeField(one, key(one), 'map', pick([true, false, undefined], true)),
    (one) => setNodeField(one, key(one), 'title', pick([undefined, `t${number(9)}`], 't')),
    (one) =>
      setParam(one, key(one), `p${number(3)}`, pick([undefined, 1, { a: number(2) }, [1]], 1)),
    (one) =>
      moveNodes(
        one,
        new Map([
          [key(one), place()],
          [key(one), place()],
        ]),
      ),
    (one) => renameKey(one, key(one), `k${number(9)}`),
    (one) => addInput(one, { name: `i${number(5)}` }),
    (one) => removeInput(one, name(one)),
    (one) => renameInput(one, name(one), `i${number(5)}`),
    (one) => addVariable(one, { variable_name: `v${number(5)}`, type: 'string' }),
    (one) => removeVariable(one, variable(one)),
    (one) => setVariable(one, variable(one), { type: 'integer', default: number(9) }),
    (one) => renameVariable(one, variable(one), `v${number(5)}`),
    (one) => addNote(one, `note${number(1e9)}`, { text: 'a', position: place(), size }),
    (one) => setNote(one, note(one), { text: `b${number(9)}`, node_keys: [key(one)] }),
    (one) => removeNote(one, note(one)),
  ];
  return pick(commands, (one) => one);
}

describe('the editor', () => {
  it('undoes and redoes 200 random edits exactly, for 1,000 seeds', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const random = seeded(seed);
      const editor = editorOf();
      const states = [canonicalJson(start())];
      // The steps between are compared for a part of them, which takes most of the time.
      const isWatched = seed % 20 === 0;
      for (let count = 0; count < 200; count++) {
        editor.edit('something', anyEdit(random));
        const { graph: now, past } = editor.getState();
        if (isWatched) states[past.length] = canonicalJson(now);
      }
      const last = canonicalJson(editor.getState().graph);
      while (editor.getState().past.length > 0) {
        editor.undo();
        const { graph: now, past } = editor.getState();
        if (!isWatched && past.length > 0) continue;
        expect(canonicalJson(now), `undo, seed ${seed}`).toBe(states[past.length]);
      }
      while (editor.getState().future.length > 0) editor.redo();
      expect(canonicalJson(editor.getState().graph), `redo, seed ${seed}`).toBe(last);
    }
  }, 60_000);

  it('makes one step of all that is typed in a field', () => {
    const editor = editorOf();
    for (const title of ['S', 'Sm', 'Sma', 'Small']) {
      editor.edit('Title', (one) => setNodeField(one, 'a', 'title', title), { group: 'title' });
    }
    expect(editor.getState().past.length).toBe(1);
    editor.undo();
    expect(editor.getState().graph).toEqual(start());
    editor.redo();
    expect(editor.getState().graph.nodes[0]?.title).toBe('Small');
  });

  it('has no step for what was typed and taken back, or changes nothing', () => {
    const editor = editorOf();
    editor.edit('Title', (one) => setNodeField(one, 'a', 'title', 'S'), { group: 'title' });
    editor.edit('Title', (one) => setNodeField(one, 'a', 'title', undefined), { group: 'title' });
    editor.edit('Nothing', (one) => ({ ...one, nodes: [...one.nodes] }));
    expect(editor.getState().past.length).toBe(0);
  });

  it('goes back to any step, and forth again', () => {
    const editor = editorOf();
    for (const title of ['one', 'two', 'three']) {
      editor.edit(title, (one) => setNodeField(one, 'a', 'title', title));
    }
    editor.goTo(1);
    expect(editor.getState().graph.nodes[0]?.title).toBe('one');
    editor.goTo(3);
    expect(editor.getState().graph.nodes[0]?.title).toBe('three');
    editor.goTo(0);
    expect(editor.getState().graph).toEqual(start());
  });

  it('keeps the nodes that an edit does not touch', () => {
    const editor = editorOf();
    const [, before] = editor.getState().graph.nodes;
    editor.edit('Title', (one) => setNodeField(one, 'a', 'title', 'First'));
    editor.undo();
    expect(editor.getState().graph.nodes[1]).toBe(before);
  });

  it('takes back only what was done here after somebody else changed something', () => {
    const editor = editorOf();
    editor.edit('Title', (one) => setNodeField(one, 'a', 'title', 'Mine'));
    editor.replaceBase(setNodeField(editor.getState().graph, 'b', 'title', 'Theirs'));
    expect(editor.undo()).toBe(true);
    const { nodes } = editor.getState().graph;
    expect(nodes.map(({ title }) => title)).toEqual([undefined, 'Theirs']);
  });

  it('leaves what somebody else has changed since as it is, backward and forward', () => {
    const editor = editorOf();
    editor.edit('Added', (one) => addNode(one, { id: 1, name: 'New' }, { key: 'c' }));
    editor.edit('Title', (one) => setNodeField(one, 'a', 'title', 'Mine'));
    const theirs = ['a', 'c'].reduce(
      (one, key) => setNodeField(one, key, 'title', 'Theirs'),
      editor.getState().graph,
    );
    editor.replaceBase(theirs);
    expect(editor.undo()).toBe(false);
    expect(editor.undo()).toBe(false);
    expect(editor.getState().graph).toEqual(theirs);
    expect(editor.goTo(2)).toBe(false);
    expect(editor.getState().graph).toEqual(theirs);
  });

  it('renames a variable where it is used', () => {
    const renamed = renameVariable(start(), 'width', 'breadth');
    expect(renamed.nodes[0]?.params?.width).toBe('{{vars.breadth}}');
    expect(renamed.nodes[0]?.when).toBe('vars.breadth > 3');
  });

  it('changes nothing that may only be read', () => {
    const editor = createEditor({ graph: start(), definitions: new Map(), isReadOnly: true });
    editor.edit('Title', (one) => setNodeField(one, 'a', 'title', 'Mine'));
    expect(editor.getState().graph).toEqual(start());
  });
});
