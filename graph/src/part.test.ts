import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definition, definitions, edge, graph, mapped, node, params } from './examples.ts';
import { edgeRoles, laneDomains } from './lanes.ts';
import { leafKeys } from './order.ts';
import { partUntil } from './part.ts';
import { seeded } from './random.ts';
import type { Graph } from './types.ts';
import { validateGraph } from './validate.ts';

const keysOf = (part: Graph | undefined) => part?.nodes.map(({ key }) => key).join(' ');

describe('the part of a graph until a node', () => {
  it('is that node and all that leads to it', () => {
    const whole = graph(
      ['a', 'b', 'c', 'd'].map((key) => node(key, 7)),
      ['files > a.in', 'a.out > b.in', 'a.out > c.in', 'c.out > d.in', 'files > d.in'],
    );
    assert.equal(keysOf(partUntil(whole, 'a', definitions)), 'a');
    assert.equal(keysOf(partUntil(whole, 'c', definitions)), 'a c');
    assert.equal(keysOf(partUntil(whole, 'd', definitions)), 'a c d');
    assert.deepEqual(partUntil(whole, 'b', definitions)?.edges, whole.edges.slice(0, 2));
  });

  it('has no notes, which are about the whole', () => {
    const size = { width: 1, height: 1 };
    const notes = [{ id: '1', text: '', position: { x: 0, y: 0 }, size }];
    const part = partUntil(graph([node('a', 7)], [], { notes }), 'a', definitions);
    assert.deepEqual(part, graph([node('a', 7)], [], { inputs: [] }));
  });

  it('is nothing where no node has that key', () => {
    assert.equal(partUntil(graph([node('a', 7)]), '__proto__', definitions), undefined);
  });

  it('has the inputs that it takes files from', () => {
    const inputs = [{ name: 'left' }, { name: 'right' }];
    const whole = graph(
      [node('a', 7), node('b', 7), node('c', 5)],
      ['left > a.in', 'right > b.in', 'a.out > b.in'],
      { inputs },
    );
    assert.deepEqual(partUntil(whole, 'a', definitions)?.inputs, [{ name: 'left' }]);
    assert.deepEqual(partUntil(whole, 'b', definitions)?.inputs, inputs);
    assert.deepEqual(partUntil(whole, 'c', definitions)?.inputs, []);
  });

  it('has all variables, and requires those that it uses', () => {
    const variables = ['here', 'asked', 'told', 'there'].map((variable_name) => ({
      ...{ variable_name, type: 'integer' as const, required: true },
    }));
    const known = new Map([
      [1, definition(1, ['in'], ['out'], { params, command: ['x', '{{vars.told}}'] })],
      [2, definition(2, ['in'], ['out'], { params })],
    ]);
    const whole = graph(
      [
        mapped('a', 1, { params: { width: '{{vars.here}}' }, when: 'vars.asked > 1' }),
        mapped('b', 2, { params: { width: '{{vars.there}}' } }),
      ],
      ['files > a.in', 'a.out > b.in'],
      { variables },
    );
    const part = partUntil(whole, 'a', known);
    assert.deepEqual(
      part?.variables.map(({ variable_name, required }) => [variable_name, required]),
      [
        ['here', true],
        ['asked', true],
        ['told', true],
        ['there', false],
      ],
    );
    assert.deepEqual(partUntil(whole, 'b', known)?.variables, variables);
  });

  it('has the faults of its own nodes only', () => {
    const whole = graph(
      [node('a', 7), node('b', 7), node('c', 99), node('d', 7)],
      ['files > a.in', 'a.out > b.in', 'a.out > c.in', 'c.out > d.in', 'd.out > c.in'],
    );
    const codes = (key: string) => {
      const part = partUntil(whole, key, definitions) as Graph;
      return validateGraph(part, definitions).errors.map(({ code }) => code);
    };
    assert.deepEqual(codes('b'), []);
    assert.deepEqual(codes('d').sort(), ['cycle', 'unknown_definition']);
  });

  it('runs as in the whole graph: 3,000 random graphs keep lanes and edges, and have one leaf', () => {
    const random = seeded(7);
    const below = (limit: number) => Math.floor(random() * limit);
    const ids = [...definitions.keys()];
    let sound = 0;
    for (let round = 0; round < 3000; round++) {
      const nodes = Array.from({ length: 1 + below(6) }, (_, at) =>
        node(`n${at}`, ids[below(ids.length)] as number, { map: random() < 0.5 }),
      );
      const edges = nodes.flatMap(({ node_definition_id }, at) =>
        (definitions.get(node_definition_id)?.inputs ?? []).map(({ name }) => {
          const from = below(at + 1);
          return edge(`${from === at ? 'files' : `n${from}.out`} > n${at}.${name}`);
        }),
      );
      const whole = graph(nodes, edges);
      if (!validateGraph(whole, definitions).valid) continue;
      sound += 1;

      const domains = laneDomains(whole, definitions);
      const roles = edgeRoles(whole, definitions);
      for (const { key } of nodes) {
        const part = partUntil(whole, key, definitions) as Graph;
        assert.deepEqual(validateGraph(part, definitions).errors, []);
        assert.deepEqual(leafKeys(part), [key]);
        for (const [one, domain] of laneDomains(part, definitions))
          assert.deepEqual(domain, domains.get(one));
        const before = part.edges.map((one) => roles[whole.edges.indexOf(one)]);
        assert.deepEqual(edgeRoles(part, definitions), before);
      }
    }
    assert.ok(sound > 300, `${sound} sound graphs`);
  });
});
