/** How large a graph may be, and what validating a large one costs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countSteps } from '../../tools/count-steps.ts';
import {
  brief,
  definition,
  definitions,
  edge,
  graph,
  mapped,
  node,
  params,
  width,
} from './examples.ts';
import type { Graph } from './types.ts';
import { validateGraph } from './validate.ts';

const known = new Map([...definitions, [20, definition(20, ['in'], ['out'], { params })]]);
const errorsOf = (it: Graph) => validateGraph(it, known).errors;

describe('a fault in a graph', () => {
  it('is more than 2,000 nodes, and then nothing else is looked at', () => {
    const nodes = Array.from({ length: 2001 }, (_, at) => node(`n${at}`, 99));
    assert.deepEqual(errorsOf(graph(nodes)).map(brief), ['too_many_nodes   /nodes']);
  });

  it('is more than 5,000 values in the params of a node, on whatever level', () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
    const params = { rows: [numbers(2_500), numbers(2_496)] };
    assert.deepEqual(errorsOf(graph([node('a', 5, { params })])), []);
    params.rows[1]?.push(0);
    const errors = errorsOf(graph([node('a', 5, { params })]));
    assert.deepEqual(errors.map(brief), ['too_many_params a  /nodes/0/params']);
  });
});

describe('validating a large graph', () => {
  it('does not take as many times as long when each node has a costly schema', async () => {
    const twice = (to: number) => ({ allOf: [0, 1].map(() => ({ $ref: `#/$defs/d${to}` })) });
    const $defs = Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [`d${at}`, at === 24 ? true : twice(at + 1)]),
    );
    const costly = { $defs, type: 'object', properties: { a: { $ref: '#/$defs/d0' } } };
    const withCostly = new Map([[40, definition(40, [], ['out'], { params: costly })]]);
    const validate = (count: number) => {
      const nodes = Array.from({ length: count }, (_, at) =>
        node(`n${at}`, 40, { params: { a: 1 } }),
      );
      return validateGraph(graph(nodes, []), withCostly);
    };

    const { errors } = validate(1000);
    assert.equal(errors.filter(({ message }) => /too costly/.test(message)).length, 1000);
    const steps = [await countSteps(() => validate(100)), await countSteps(() => validate(1000))];
    assert.ok(Number(steps[1]) < 2 * Number(steps[0]), `${steps.join(', then ')} steps`);
  });

  it('takes twice the steps for twice the nodes', async () => {
    const steps = async (count: number) => {
      const large = longGraph(count);
      assert.deepEqual(validateGraph(large, known).errors, []);
      return countSteps(() => validateGraph(large, known));
    };

    const [some, twice] = [await steps(500), await steps(1000)];
    assert.ok(twice < 2.2 * some, `${some}, then ${twice} steps`);
  });

  /** Mapped nodes of one domain, each with params, a condition and up to two edges. */
  function longGraph(count: number): Graph {
    const nodes = Array.from({ length: count }, (_, at) =>
      mapped(`n${at}`, at === 0 ? 20 : 7, {
        params: at === 0 ? { width: '{{vars.width}}' } : { width: 3, label: 'x{{vars.width}}' },
        when: 'vars.width > 3 && file.name != "x"',
      }),
    );
    const edges = nodes
      .slice(1)
      .flatMap((_, at) => [
        edge(`n${at}.out > n${at + 1}.in`),
        ...(at > 1 ? [edge(`n${at >> 1}.out > n${at + 1}.in`)] : []),
      ]);
    return graph(nodes, [edge('files > n0.in'), ...edges], { variables: [width] });
  }
});
