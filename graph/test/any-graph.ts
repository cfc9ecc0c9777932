/** Any graph of the right shape, sound or not, for tests of properties. */
import fc from 'fast-check';
import type { Graph, GraphNode, GraphNote } from '../src/types.ts';

/** What PostgreSQL can store: no U+0000, no lone surrogates. */
const text = fc.string({ unit: 'binary', maxLength: 8 }).map((it) => it.replaceAll('\0', ' '));
const real = fc.double({ noNaN: true, noDefaultInfinity: true });
const numbers = fc.oneof(fc.integer(), real);
const position = fc.record({ x: numbers, y: numbers });

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    numbers,
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('title', 'position', 'notes')), tie('value'), {
      maxKeys: 3,
    }),
  ),
})).value;

const params = fc.dictionary(fc.oneof(text, fc.constantFrom('title', 'width')), values, {
  maxKeys: 3,
});

const drawing = fc.record({ title: text, position }, { requiredKeys: [] });

const nodes: fc.Arbitrary<GraphNode> = fc
  .tuple(
    fc.record({ key: text, node_definition_id: fc.nat() }),
    fc.record(
      {
        params,
        map: fc.boolean(),
        when: text,
        on_error: fc.constantFrom('fail' as const, 'continue' as const),
      },
      { requiredKeys: [] },
    ),
    drawing,
  )
  .map((parts) => Object.assign({}, ...parts));

const port = fc.record({ node: text, port: text });
const edges = fc.record({
  from: fc.oneof(fc.record({ input: text }), port),
  to: port,
  min_success_ratio: fc.double({ min: 0, max: 1, noNaN: true }),
});

const inputs = fc.record(
  { name: text, media_types: fc.array(text, { maxLength: 2 }) },
  { requiredKeys: ['name'] },
);

const variables = fc.record(
  { variable_name: text, type: fc.constant('string' as const), default: values, minimum: numbers },
  { requiredKeys: ['variable_name', 'type'] },
);

const note: fc.Arbitrary<GraphNote> = fc.record(
  {
    id: text,
    text,
    position,
    size: fc.record({ width: numbers, height: numbers }),
    node_keys: fc.array(text, { maxLength: 2 }),
  },
  { requiredKeys: ['id', 'text', 'position', 'size'] },
);

const few = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 });

export const graphs: fc.Arbitrary<Graph> = fc.record(
  {
    nodes: few(nodes),
    edges: few(edges),
    inputs: few(inputs),
    variables: few(variables),
    notes: few(note),
  },
  { requiredKeys: ['nodes', 'edges', 'inputs', 'variables'] },
);

/** How a graph may be drawn: its notes, and title and position of each of its first nodes. */
export const layouts = fc.record(
  { notes: few(note), drawings: fc.array(drawing, { maxLength: 3 }) },
  { requiredKeys: ['drawings'] },
);

type Layout = { notes?: GraphNote[]; drawings: Pick<GraphNode, 'title' | 'position'>[] };

/** The same graph, drawn like this and in no other way. */
export function withLayout({ notes: _, ...graph }: Graph, { notes, drawings }: Layout): Graph {
  return {
    ...graph,
    nodes: graph.nodes.map(({ title: _, position: __, ...node }, at) => ({
      ...node,
      ...drawings[at],
    })),
    ...(notes && { notes }),
  };
}

/** The same value with the keys of its objects in another order. */
export function reordered<Value>(value: Value, numbers: Iterator<number>): Value {
  if (Array.isArray(value)) return value.map((one) => reordered(one, numbers)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .map(([key, member]) => ({ key, member, at: numbers.next().value as number }))
    .toSorted((a, b) => a.at - b.at);
  return Object.fromEntries(
    members.map(({ key, member }) => [key, reordered(member, numbers)]),
  ) as Value;
}
