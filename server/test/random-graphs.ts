/** Random graphs that pass validation, and random fates of their runs. */
import type { Definition, Graph, GraphEdge } from '@cogworks/graph/types';
import { validateGraph } from '@cogworks/graph/validate';
import { type Definitions, type Fate, hash } from './reference-run.ts';

export type Random = () => number;
export const below = (random: Random, limit: number) => Math.floor(random() * limit);

/** Ports of the containers that the graphs are made of. */
export const shapes: [inputs: Definition['inputs'], outputs: Definition['outputs']][] = [
  [[{ name: 'a', cardinality: 'one' }], [{ name: 'x', cardinality: 'one' }]],
  [[{ name: 'a', cardinality: 'many' }], [{ name: 'x', cardinality: 'one' }]],
  [[{ name: 'a', cardinality: 'one' }], [{ name: 'x', cardinality: 'many' }]],
  [[{ name: 'a', cardinality: 'many' }], [{ name: 'x', cardinality: 'many' }]],
  [
    [
      { name: 'a', cardinality: 'one' },
      { name: 'b', cardinality: 'optional' },
    ],
    [{ name: 'x', cardinality: 'one' }],
  ],
  [
    [
      { name: 'a', cardinality: 'one' },
      { name: 'b', cardinality: 'many' },
    ],
    [
      { name: 'x', cardinality: 'one' },
      { name: 'y', cardinality: 'many' },
    ],
  ],
];

export function randomGraph(random: Random, definitions: Definitions): Graph {
  for (;;) {
    const candidate = anyGraph(random, [...definitions.values()]);
    if (validateGraph(candidate, definitions).valid) return candidate;
  }
}

function anyGraph(random: Random, definitions: Definition[]): Graph {
  const chosen = Array.from(
    { length: 2 + below(random, 5) },
    () => definitions[below(random, definitions.length)] as Definition,
  );
  const nodes = chosen.map(({ id }, at) => {
    const map = random() < 0.55;
    const when = map ? 'vars.wanted || file.name == "f1" || file.name == "x1"' : 'vars.wanted';
    return {
      key: `n${at}`,
      node_definition_id: id,
      map,
      ...(random() < 0.3 ? { when } : {}),
      ...(random() < 0.5 ? { on_error: 'continue' as const } : {}),
    };
  });
  const edges = chosen.flatMap(({ inputs }, at) =>
    inputs.flatMap(({ name, cardinality }): GraphEdge[] => {
      if (cardinality === 'optional' && random() < 0.3) return [];
      // Chains more often than stars, because faults show further downstream.
      const before = random() < 0.5 ? Math.max(0, at - 1) : below(random, at + 1);
      const outputs = chosen[before]?.outputs ?? [];
      const port = outputs[below(random, outputs.length)]?.name ?? 'x';
      const from = before === at ? { input: 'files' } : { node: `n${before}`, port };
      const ratio = random() < 0.4 ? { min_success_ratio: random() < 0.5 ? 0.5 : 1 } : {};
      return [{ from, to: { node: `n${at}`, port: name }, ...ratio }];
    }),
  );
  const variables: Graph['variables'] = [
    { variable_name: 'parts', type: 'integer', default: 1 },
    { variable_name: 'wanted', type: 'boolean', default: true },
  ];
  return { nodes, edges, inputs: [{ name: 'files' }], variables };
}

/** Reproducible by seed, whatever the order of events. */
export function fateOf(seed: number, failing: number, { parts = 1, wanted = true } = {}): Fate {
  const chance = (text: string) => Number.parseInt(hash(`${seed} ${text}`).slice(0, 8), 16);
  return {
    parts,
    wanted,
    fails: (key, lane) => chance(`${key} ${lane}`) / 2 ** 32 < failing,
    count: (key) => (chance(key) + parts) % 3,
  };
}
