/** The graphs that are measured, of nodes that no container ever runs. */
import type { Api } from '../http.ts';

const server = 'bench.example';

/** A run has ended when the report of this node was accepted: the same transaction ends it. */
export const lastNodes: ReadonlySet<string> = new Set(['c', 'gather']);

export type Graphs = {
  /** a → b → c. */
  chain: number;
  /** A lane for each file, then a node that gathers all. */
  fan: number;
  /** The same, and the last node takes the files themselves as well. */
  wide: number;
};

/** @returns versions of both graphs. */
export async function makeGraphs(api: Api): Promise<Graphs> {
  await api('POST', '/secrets/', {
    name: 'BENCH',
    kind: 'registry',
    value: { server, username: 'user', password: 'password' },
  });
  const source = await define(api, 'source', []);
  const all = await define(api, 'all', [{ name: 'in', cardinality: 'many' }]);
  const each = await define(api, 'each', [{ name: 'in', cardinality: 'one' }]);
  const fan = {
    nodes: [{ ...node('lane', each), map: true }, node('gather', all)],
    edges: [{ from: { input: 'files' }, to: { node: 'lane', port: 'in' } }, edge('lane', 'gather')],
    inputs: [{ name: 'files' }],
    variables: [],
  };
  const ofFiles = { from: { input: 'files' }, to: { node: 'gather', port: 'in' } };
  return {
    chain: await publish(api, 'Chain', {
      nodes: [node('a', source), node('b', all), node('c', all)],
      edges: [edge('a', 'b'), edge('b', 'c')],
      inputs: [],
      variables: [],
    }),
    fan: await publish(api, 'Fan', fan),
    wide: await publish(api, 'Wide', { ...fan, edges: [...fan.edges, ofFiles] }),
  };
}

const node = (key: string, node_definition_id: number) => ({ key, node_definition_id, params: {} });

const edge = (from: string, to: string) => ({
  from: { node: from, port: 'out' },
  to: { node: to, port: 'in' },
});

async function define(api: Api, name: string, inputs: object[]): Promise<number> {
  const made = await api('POST', '/node_definitions/', {
    name,
    version: '1',
    image: `${server}/nothing:1`,
    command: ['true'],
    inputs,
    outputs: [{ name: 'out', glob: '*', cardinality: 'many' }],
    resources: { cpu: 0.01, memory_mb: 16, gpu: 0, disk_mb: 1 },
  });
  return made.id;
}

async function publish(api: Api, name: string, graph: object): Promise<number> {
  const { latest_version_id: id } = await api('POST', '/workflows/', { name, graph });
  await api('POST', `/workflows/workflow-versions/${id}/publish`, {});
  return id;
}
