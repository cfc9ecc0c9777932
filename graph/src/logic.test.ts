/** What a graph does, apart from how it is drawn: the text that `logic_hash` is the digest of. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { graphs, layouts, reordered, withLayout } from '../test/any-graph.ts';
import { graph, node } from './examples.ts';
import { canonicalJson, logicText } from './hash.ts';

type Path = (string | number)[];

const always = { seed: 20261123 };

describe('what a graph does', () => {
  it('stays the same whatever notes, titles and positions become', () => {
    fc.assert(
      fc.property(graphs, layouts, (before, layout) => {
        const after = withLayout(before, layout);
        assert.equal(logicText(after), logicText(before));
      }),
      always,
    );
  });

  it('is changed by any other change', () => {
    fc.assert(
      fc.property(graphs, fc.nat(), fc.boolean(), (before, at, isRemoved) => {
        const paths = placesIn(before).filter((path) => !isDrawing(path));
        const path = paths[at % paths.length] as Path;
        const after = structuredClone(before);
        // The four lists of a graph are always there.
        if (isRemoved && path.length > 1) removeAt(after, path);
        else replaceAt(after, path, (value) => [value]);
        assert.notEqual(logicText(after), logicText(before));
      }),
      always,
    );
  });

  it('is part of the whole, which any change alters', () => {
    fc.assert(
      fc.property(graphs, fc.nat(), (before, at) => {
        const paths = placesIn(before);
        const after = structuredClone(before);
        replaceAt(after, paths[at % paths.length] as Path, (value) => [value]);
        assert.notEqual(canonicalJson(after), canonicalJson(before));
      }),
      always,
    );
  });

  it('does not depend on the order of keys, at any depth', () => {
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.nat()), (before, numbers) => {
        const after = reordered(before, numbers);
        assert.equal(logicText(after), logicText(before));
        assert.equal(canonicalJson(after), canonicalJson(before));
      }),
      always,
    );
  });

  it('depends on the order of nodes and edges', () => {
    const two = [node('a', 1), node('b', 1)];
    assert.notEqual(logicText(graph(two)), logicText(graph(two.toReversed())));
  });

  it('includes params and variables that are named like parts of the drawing', () => {
    const made = (value: unknown) =>
      graph([node('a', 1, { params: { title: value, position: value, notes: value } })]);
    assert.notEqual(logicText(made(1)), logicText(made(2)));
    const { nodes: _, ...rest } = JSON.parse(logicText(made(1)));
    assert.deepEqual(Object.keys(rest), ['edges', 'inputs', 'variables']);
  });

  it('leaves the graph it is asked about as it was', () => {
    const drawn = graph([node('a', 1, { title: 'A', position: { x: 1, y: 2 } })]);
    const before = structuredClone(drawn);
    logicText(drawn);
    assert.deepEqual(drawn, before);
  });
});

/** The place of every value in a JSON value. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((member, at) => [at, member])
    : Object.entries(value);
  const below = members.flatMap(([key, member]) => placesIn(member, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

const isDrawing = ([part, , field]: Path) =>
  part === 'notes' || (part === 'nodes' && (field === 'title' || field === 'position'));

// biome-ignore lint/suspicious/noExplicitAny: any JSON value
const parentOf = (value: any, path: Path) => path.slice(0, -1).reduce((it, key) => it[key], value);

function replaceAt(value: object, path: Path, make: (before: unknown) => unknown) {
  const parent = parentOf(value, path);
  const key = path.at(-1) as string;
  // As a field of its own, also where it is called `__proto__`.
  Object.defineProperty(parent, key, { value: make(parent[key]), enumerable: true });
}

function removeAt(value: object, path: Path) {
  const parent = parentOf(value, path);
  const key = path.at(-1) as string | number;
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}
