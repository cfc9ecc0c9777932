/** The faults that the builder shows are those that the service would answer. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Fault, Graph, GraphEdge, GraphNode } from '@cogworks/graph/types';
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import fc from 'fast-check';
import { cast } from '../../server/test/cast.ts';
import { definitionsOf } from '../src/catalogue.ts';
import { faultsOf } from '../src/screens/builder/faults/check.ts';
import { type BuilderWorld, builderDefinitions } from './builder-world.ts';

const keys = ['a', 'b', 'c', 'd'];
const few = <T>(one: fc.Arbitrary<T>, maxLength: number) => fc.array(one, { maxLength });

/** Graphs that come close to running: real ports, settings that fit or nearly do. */
function graphsOf(world: BuilderWorld): fc.Arbitrary<Graph> {
  const value = fc.constantFrom<unknown>(
    ...[0, 700, 'fit', 'other', true, '{{vars.width}}', '{{vars.widht}}', 'p {{vars.on}}'],
    ...['{{file.stem}}', { $secret: 'KEY' }, ['blur'], { top: -1 }, null, { deep: [1, '{{x}}'] }],
  );
  const name = fc.constantFrom('width', 'mode', 'sharpen', 'label', 'token', 'filters', 'margins');
  const when = ['vars.width > 3', 'vars.on &&', 'file.name == 1', 'params.width', '1 == 2', ''];
  const nodes: fc.Arbitrary<GraphNode> = fc.record(
    {
      key: fc.constantFrom(...keys),
      node_definition_id: fc.constantFrom(...Object.values(world), 999_999),
      map: fc.boolean(),
      params: fc.dictionary(name, value, { maxKeys: 3 }),
      when: fc.constantFrom(...when),
    },
    { requiredKeys: ['key', 'node_definition_id'] },
  );
  const port = fc.record({
    node: fc.constantFrom(...keys),
    port: fc.constantFrom('pdf', 'pages', 'image', 'text', 'texts', 'cover', 'none'),
  });
  const edges: fc.Arbitrary<GraphEdge> = fc.record(
    {
      from: fc.oneof(fc.record({ input: fc.constantFrom('scans', 'gone') }), port),
      to: port,
      min_success_ratio: fc.constantFrom(0, 0.5, 1),
    },
    { requiredKeys: ['from', 'to'] },
  );
  return fc.record({
    nodes: few(nodes, 5),
    edges: few(edges, 8),
    inputs: few(
      fc.record(
        {
          name: fc.constantFrom('scans', 'more', 'odd name'),
          media_types: fc.constant(['application/pdf']),
        },
        { requiredKeys: ['name'] },
      ),
      2,
    ),
    variables: few(
      fc.record(
        {
          variable_name: fc.constantFrom('width', 'on'),
          type: fc.constantFrom('integer' as const, 'string' as const, 'boolean' as const),
          default: fc.constantFrom<unknown>(3, 'x', false),
        },
        { requiredKeys: ['variable_name', 'type'] },
      ),
      2,
    ),
  });
}

const none: Graph = { nodes: [], edges: [], inputs: [], variables: [] };

const brief = ({ code, pointer, node_key, port }: Fault) =>
  [code, pointer ?? '', node_key ?? '', port ?? ''].join(' ');

it('finds in any graph the faults that the service finds, in codes and places', async () => {
  const { admin } = await cast();
  const world = await builderDefinitions(admin);
  const catalogue: NodeDefinition[] = (await admin.get('/node_definitions/?limit=1000')).body;
  const definitions = definitionsOf(catalogue);
  const { body: workflow } = await admin.post('/workflows', { name: 'Any', graph: none });
  const path = `/workflows/workflow-versions/${workflow.latest_version_id}`;
  let saved = await admin.get(path);
  let found = 0;
  for (const graph of fc.sample(graphsOf(world), { numRuns: 200, seed: 9 })) {
    saved = await admin.patch(
      path,
      { graph },
      { headers: { 'if-match': saved.headers.get('etag') ?? '' } },
    );
    assert.equal(saved.status, 200, JSON.stringify([saved.body, graph]));
    const { body } = await admin.post(`${path}/validate`);
    const answered: Fault[] = [...body.errors, ...body.warnings];
    // As the builder has it: what the service answered when the draft was read.
    const shown = faultsOf(saved.body.graph, definitions);
    assert.deepEqual(shown.map(brief), answered.map(brief), JSON.stringify(graph));
    found += shown.length;
  }
  assert.ok(found > 1000, `only ${found} faults in 200 graphs`);
});
