import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
import type { Graph, GraphVariable } from './types.ts';
import { validateGraph } from './validate.ts';

const known = new Map([
  ...definitions,
  [20, definition(20, ['in'], ['out'], { params })],
  [21, definition(21, ['in'], ['out'], { params: { ...params, required: ['width'] } })],
  [22, definition(22, ['in'], ['out'], { command: ['{{vars.width}}', '{{file.stem}}'] })],
  [23, definition(23, ['in*'], ['out'], { command: ['{{file.stem}}'] })],
  [
    24,
    definition(24, ['in'], ['out'], { command: ['{{params.no}}', '{{inputs.no.path}}', '{{x}}'] }),
  ],
  [25, definition(25, ['in'], ['out'], { timeout_seconds: null })],
  [27, definition(27, ['in'], ['out'], { params, command: ['--key={{ params.token }}'] })],
  [26, definition(26, ['in'], [])],
  [
    30,
    definition(30, [], [], {
      inputs: [{ name: 'in', cardinality: 'one', media_types: ['image/png', 'image/gif'] }],
      outputs: [{ name: 'out', cardinality: 'one', media_type: 'text/plain; charset=utf-8' }],
    }),
  ],
]);

const errorsOf = (it: Graph) => validateGraph(it, known).errors;
const single = (id: number, rest: object, variables: GraphVariable[] = []) =>
  graph([node('a', id, rest)], ['files > a.in'], { variables });
const mappedOne = (rest: object, variables: GraphVariable[] = []) =>
  graph([mapped('a', 20, rest)], ['files > a.in'], { variables });

describe('a sound graph', () => {
  const sound: Record<string, Graph> = {
    'one node that needs nothing': graph([node('a', 5)], [], { inputs: [] }),
    'an input to a node that runs once': graph([node('a', 1)], ['files > a.in']),
    'lanes that are gathered': graph(
      [mapped('a', 1), mapped('b', 1), node('zip', 2)],
      ['files > a.in', 'a.out > b.in', edge('b.out > zip.in', { min_success_ratio: 0.9 })],
    ),
    'lanes over the many files of a node': graph(
      [node('split', 3), mapped('a', 1), node('zip', 2)],
      ['files > split.in', 'split.out > a.in', 'a.out > zip.in'],
    ),
    'several files of each lane, gathered': graph(
      [mapped('a', 3), node('zip', 2)],
      ['files > a.in', 'a.out > zip.in'],
    ),
    'a file for all lanes': graph(
      [node('once', 5), mapped('a', 6)],
      ['files > a.left', 'once.out > a.right'],
    ),
    'all files for every lane': graph(
      [mapped('a', 1), mapped('b', 7)],
      ['files > a.in', 'a.out > b.in', 'files > b.in'],
    ),
    'an optional port left open': graph([node('a', 4)], [], { inputs: [] }),
    'many edges into a port for many': graph(
      [node('a', 5), node('b', 5), node('zip', 2)],
      ['a.out > zip.in', 'b.out > zip.in'],
      { inputs: [] },
    ),
    'params with variables': single(
      20,
      { params: { width: '{{vars.width}}', label: 'w{{vars.width}} pixels' } },
      [width],
    ),
    'a secret': single(20, { params: { token: { $secret: 'TOKEN' } } }),
    'a condition': mappedOne(
      { when: 'vars.width > 1 && file.size_bytes < 10 && params.label != null' },
      [width],
    ),
    'a command with a variable and the file': single(22, {}, [width]),
  };
  for (const [title, it_] of Object.entries(sound)) {
    it(`is ${title}`, () => {
      assert.deepEqual(validateGraph(it_, known), { valid: true, errors: [], warnings: [] });
    });
  }
});

describe('a fault in a graph', () => {
  const cases: [title: string, graph: Graph, faults: string[]][] = [
    ['no nodes', graph([], [], { inputs: [] }), ['no_nodes   /nodes']],
    ['a key with a blank', graph([node('a b', 5)]), ['bad_key a b  /nodes/0/key']],
    ['a key that objects know', graph([node('__proto__', 5)]), ['bad_key __proto__  /nodes/0/key']],
    ['a key twice', graph([node('a', 5), node('a', 5)]), ['duplicate_key a  /nodes/1/key']],
    [
      'an input twice',
      graph([node('a', 5)], [], { inputs: [{ name: 'i' }, { name: 'i' }] }),
      ['duplicate_input   /inputs/1/name'],
    ],
    [
      'an unnamed input',
      graph([node('a', 5)], [], { inputs: [{ name: '' }] }),
      ['bad_key   /inputs/0/name'],
    ],
    [
      'a definition that is not there',
      graph([node('a', 99)], ['files > a.whatever']),
      ['unknown_definition a  /nodes/0/node_definition_id'],
    ],
    [
      'an edge to no node',
      graph([node('a', 5)], ['a.out > b.in']),
      ['unknown_node b  /edges/0/to/node'],
    ],
    [
      'an edge from no node',
      graph([node('a', 4)], ['b.out > a.in']),
      ['unknown_node b  /edges/0/from/node'],
    ],
    [
      'an edge from no input',
      graph([node('a', 4)], ['other > a.in']),
      ['unknown_input   /edges/0/from/input'],
    ],
    [
      'an output that is not there',
      graph([node('a', 5), node('b', 4)], ['a.no > b.in']),
      ['unknown_port a no /edges/0/from/port'],
    ],
    [
      'an input port that is not there',
      graph([node('a', 5)], ['files > a.no']),
      ['unknown_port a no /edges/0/to/port'],
    ],
    ['a required port left open', graph([node('a', 2)]), ['missing_required_input a in /nodes/0']],
    [
      'two edges into a single port',
      graph([node('a', 5), node('b', 1)], ['a.out > b.in', 'files > b.in']),
      ['multiple_edges_to_single_port b in /edges/1'],
    ],
    [
      'an edge drawn twice',
      graph([node('b', 2)], ['files > b.in', 'files > b.in']),
      ['duplicate_edge b in /edges/1'],
    ],
    [
      'media types that never meet',
      graph([node('a', 30)], ['files > a.in'], {
        inputs: [{ name: 'files', media_types: ['text/*'] }],
      }),
      ['media_type_mismatch a in /edges/0'],
    ],
    [
      'a node of the wrong media type',
      graph([node('a', 30), node('b', 30)], ['files > a.in', 'a.out > b.in']),
      ['media_type_mismatch b in /edges/1'],
    ],
    [
      'several files into a single port',
      graph([node('a', 3), node('b', 1)], ['files > a.in', 'a.out > b.in']),
      ['cardinality_mismatch b in /edges/1'],
    ],
    [
      'several files of a lane into a single port',
      graph([mapped('a', 3), mapped('b', 1)], ['files > a.in', 'a.out > b.in']),
      ['cardinality_mismatch b in /edges/1'],
    ],
    [
      'lanes into a single port',
      graph([mapped('a', 1), node('b', 4)], ['files > a.in', 'a.out > b.in']),
      ['cardinality_mismatch b in /edges/1'],
    ],
    [
      'a ratio above 1',
      graph(
        [mapped('a', 1), node('b', 2)],
        ['files > a.in', edge('a.out > b.in', { min_success_ratio: 97 })],
      ),
      ['bad_ratio b in /edges/1/min_success_ratio'],
    ],
    [
      'lanes without files',
      graph([node('a', 5), mapped('b', 1)], ['a.out > b.in']),
      ['nothing_to_map b  /nodes/1/map'],
    ],
    [
      'lanes over two things',
      graph([node('s', 7), mapped('b', 6)], ['files > s.in', 's.out > b.left', 'files > b.right']),
      ['lane_mismatch b  /nodes/1/map'],
    ],
    ['a loop of one node', graph([node('a', 1)], ['a.out > a.in']), ['cycle a']],

    [
      'a param of the wrong type',
      single(20, { params: { width: 'wide' } }),
      ['bad_param a  /nodes/0/params/width'],
    ],
    [
      'a nested param of the wrong type',
      single(20, { params: { nested: { 'a/b': 1 } } }),
      ['bad_param a  /nodes/0/params/nested/a~1b'],
    ],
    [
      'a param that is not there',
      single(20, { params: { depth: 1 } }),
      ['bad_param a  /nodes/0/params/depth'],
    ],
    ['a param that is missing', single(21, {}), ['bad_param a  /nodes/0/params/width']],
    [
      'params nested without end',
      single(20, { params: JSON.parse(`{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`) }),
      ['bad_param a  /nodes/0/params'],
    ],
    [
      'a secret in plain text',
      single(20, { params: { token: 'hunter2' } }),
      ['bad_param a  /nodes/0/params/token'],
    ],
    [
      'a secret where none belongs',
      single(20, { params: { label: { $secret: 'X' } } }),
      ['bad_param a  /nodes/0/params/label'],
    ],
    [
      'a variable of the wrong type for a param',
      single(20, { params: { label: '{{vars.width}}' } }, [width]),
      ['bad_param a  /nodes/0/params/label'],
    ],
    [
      'a text around a variable for a number',
      single(20, { params: { width: '1{{vars.width}}' } }, [width]),
      ['bad_param a  /nodes/0/params/width'],
    ],
    [
      'an unknown variable in a param',
      single(20, { params: { width: '{{vars.widht}}' } }, [width]),
      ['unknown_variable a  /nodes/0/params/width'],
    ],
    [
      'a reference without meaning in a param',
      single(20, { params: { label: '{{file.name}}' } }),
      ['bad_template a  /nodes/0/params/label'],
    ],
    [
      'an unknown variable in a command',
      single(22, {}),
      ['unknown_variable a  /nodes/0/node_definition_id'],
    ],
    [
      'a file in a command for many',
      graph([node('a', 23)], ['files > a.in']),
      ['bad_template a  /nodes/0/node_definition_id'],
    ],
    [
      'references of a command to nothing',
      single(24, {}),
      Array(3).fill('bad_template a  /nodes/0/node_definition_id'),
    ],
    [
      'a secret in a command',
      single(27, { params: { token: { $secret: 'TOKEN' } } }),
      ['secret_in_command a  /nodes/0/node_definition_id'],
    ],
    [
      'a secret in a command that no node gives a value',
      single(27, {}),
      ['secret_in_command a  /nodes/0/node_definition_id'],
    ],

    [
      'a condition that ends too early',
      mappedOne({ when: 'true &&' }),
      ['bad_when a  /nodes/0/when'],
    ],
    ['an empty condition', mappedOne({ when: '' }), ['bad_when a  /nodes/0/when']],
    [
      'an unknown variable in a condition',
      mappedOne({ when: 'vars.no' }),
      ['unknown_variable a  /nodes/0/when'],
    ],
    [
      'an unknown param in a condition',
      mappedOne({ when: 'params.no == 1' }),
      ['bad_when a  /nodes/0/when'],
    ],
    [
      'a condition that is a number',
      mappedOne({ when: 'vars.width' }, [width]),
      ['bad_when a  /nodes/0/when'],
    ],
    [
      'a condition on a file without lanes',
      single(20, { when: 'file.name == "a"' }),
      ['bad_when a  /nodes/0/when'],
    ],
    [
      'a condition of types that never meet',
      mappedOne({ when: 'params.width == "1"' }),
      ['bad_when a  /nodes/0/when'],
    ],
  ];
  for (const [title, it_, faults] of cases) {
    it(`is ${title}`, () => {
      const { valid, errors } = validateGraph(it_, known);
      assert.deepEqual(errors.map(brief), faults);
      assert.equal(valid, false);
    });
  }

  const declarations: [title: string, variable: object, field: string][] = [
    ['a bad name', { variable_name: 'my var', type: 'string' }, 'variable_name'],
    ['an enum without values', { type: 'enum' }, 'enum'],
    ['an enum that repeats itself', { type: 'enum', enum: ['a', 'a'] }, 'enum'],
    ['an enum of the wrong type', { type: 'integer', enum: [1, 'b'] }, 'enum'],
    ['limits the wrong way round', { type: 'number', minimum: 2, maximum: 1 }, 'maximum'],
    ['a pattern that is none', { type: 'string', pattern: '(' }, 'pattern'],
    ['a default of the wrong type', { type: 'integer', default: '7' }, 'default'],
    ['a default outside its values', { type: 'enum', enum: ['a'], default: 'b' }, 'default'],
    ['a default against its pattern', { type: 'string', pattern: '^a', default: 'b' }, 'default'],
    ['a default that is null', { type: 'string', default: null }, 'default'],
  ];
  for (const [title, variable, field] of declarations) {
    it(`is a variable with ${title}`, () => {
      const variables = [{ variable_name: 'v', ...variable } as GraphVariable];
      const errors = errorsOf(graph([node('a', 5)], [], { variables }));
      assert.deepEqual(errors.map(brief), [`bad_variable   /variables/0/${field}`]);
    });
  }

  it('is a variable declared twice', () => {
    const errors = errorsOf(single(22, {}, [width, width]));
    assert.deepEqual(errors.map(brief), ['duplicate_variable   /variables/1/variable_name']);
  });

  it('names the way round a cycle', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((key) => node(key, 2));
    const edges = ['a.out > b.in', 'b.out > c.in', 'c.out > b.in', 'c.out > d.in', 'files > a.in'];
    const [fault, ...others] = errorsOf(graph(nodes, edges));
    assert.deepEqual(fault?.path, ['b', 'c', 'b']);
    assert.match(fault?.message ?? '', /b → c → b/);
    assert.deepEqual(others, []);
  });

  it('guesses which variable was meant', () => {
    const [fault] = errorsOf(single(20, { params: { width: '{{vars.widht}}' } }, [width]));
    assert.match(fault?.message ?? '', /did you mean "width"/);
  });

  it('does not hide others', () => {
    const nodes = [
      node('a', 1, { when: '(' }),
      node('a', 99),
      node('b', 20, { params: { width: 0 } }),
    ];
    const edges = ['a.out > a.in', 'x > b.in'];
    const codes = new Set(errorsOf(graph(nodes, edges)).map(({ code }) => code));
    const expected = [
      'duplicate_key',
      'unknown_definition',
      'cycle',
      'unknown_input',
      'bad_param',
      'bad_when',
    ];
    assert.deepEqual([...codes].sort(), expected.sort());
  });
});

describe('a warning', () => {
  const cases: [title: string, graph: Graph, warnings: string[]][] = [
    ['a variable that nothing uses', single(20, {}, [width]), ['unused_variable   /variables/0']],
    ['an input that nothing takes', graph([node('a', 5)]), ['unused_input   /inputs/0']],
    ['a node without a timeout', single(25, {}), ['no_timeout a  /nodes/0']],
    ['a node that can never run', single(20, { when: '1 > 2' }), ['dead_node a  /nodes/0']],
    [
      'nodes whose work reaches no output',
      graph(
        [node('a', 1), node('b', 26), node('c', 1)],
        ['files > a.in', 'a.out > b.in', 'files > c.in'],
      ),
      ['dead_node a  /nodes/0', 'dead_node b  /nodes/1'],
    ],
  ];
  for (const [title, it_, warnings] of cases) {
    it(`is for ${title}`, () => {
      const validation = validateGraph(it_, known);
      assert.deepEqual(validation.warnings.map(brief), warnings);
      assert.equal(validation.valid, true);
    });
  }
});
