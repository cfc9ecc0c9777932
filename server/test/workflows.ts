/** Ready-made definitions and graphs for tests. Images are never pulled by tests that only look at the API. */
import { randomUUID } from 'node:crypto';
import type { Client } from './cast.ts';

export const image = '127.0.0.1:5999/tools:1';

/** Registers a node; give what matters to the test. @returns its id. */
export async function registerNode(
  client: Client,
  over: Record<string, unknown> = {},
): Promise<number> {
  const { status, body } = await client.post('/node_definitions', {
    name: `node-${randomUUID()}`,
    version: '1',
    image,
    command: ['true'],
    inputs: [{ name: 'in', cardinality: 'one' }],
    outputs: [{ name: 'out', glob: '*', cardinality: 'one' }],
    resources: { cpu: 0.5, memory_mb: 64, gpu: 0, disk_mb: 64 },
    ...over,
  });
  if (status !== 201) throw new Error(`not registered: ${JSON.stringify(body)}`);
  return body.id;
}

/** One mapped node over the input `files`. */
export function mappedGraph(definitionId: number, over: Record<string, unknown> = {}) {
  return {
    nodes: [{ key: 'each', node_definition_id: definitionId, map: true, ...over }],
    edges: [{ from: { input: 'files' }, to: { node: 'each', port: 'in' } }],
    inputs: [{ name: 'files' }],
    variables: [],
  };
}

/** Stores credentials for the registry of `image`, as an admin does once. */
export async function storeCredentials(admin: Client, server = '127.0.0.1:5999'): Promise<void> {
  const { status, body } = await admin.post('/secrets', {
    name: `REGISTRY_${randomUUID().replaceAll('-', '_').toUpperCase()}`,
    kind: 'registry',
    value: { server, username: 'user', password: 'password' },
  });
  if (status !== 201) throw new Error(`not stored: ${JSON.stringify(body)}`);
}
