import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countSteps } from '../../tools/count-steps.ts';
import type { GraphVariable } from './types.ts';
import { nearest, resolveVariables } from './variables.ts';

const declared: GraphVariable[] = [
  { variable_name: 'width', type: 'integer', default: 800, minimum: 1, maximum: 4000 },
  { variable_name: 'threshold', type: 'number', required: true },
  { variable_name: 'mode', type: 'enum', enum: ['fast', 'best', 3] },
  { variable_name: 'label', type: 'string', pattern: '^[a-z]+$' },
  { variable_name: 'on', type: 'boolean' },
];

describe('the variables of a run', () => {
  it('are those given, else the defaults, else null', () => {
    assert.deepEqual(resolveVariables(declared, { threshold: 0.5, mode: 3 }), {
      values: { width: 800, threshold: 0.5, mode: 3, label: null, on: null },
    });
    const given = { width: 2, threshold: -1, mode: 'fast', label: 'abc', on: false };
    assert.deepEqual(resolveVariables(declared, given), { values: given });
  });

  const cases: [name: string, value: unknown, code: string][] = [
    ['width', '7', 'wrong_type'],
    ['width', 1.5, 'wrong_type'],
    ['width', 2 ** 53, 'wrong_type'],
    ['width', null, 'wrong_type'],
    ['width', 0, 'too_small'],
    ['width', 4001, 'too_large'],
    ['threshold', Number.NaN, 'wrong_type'],
    ['mode', 'slow', 'not_in_enum'],
    ['mode', '3', 'not_in_enum'],
    ['mode', ['fast'], 'wrong_type'],
    ['label', 'ABC', 'pattern_mismatch'],
    ['label', 'a'.repeat(10_001), 'too_long'],
    ['on', 'true', 'wrong_type'],
    ['on', 1, 'wrong_type'],
    ['constructor', 1, 'unknown_variable'],
  ];
  for (const [name, value, code] of cases) {
    it(`refuse ${JSON.stringify(value).slice(0, 20)} for ${name}: ${code}`, () => {
      const answer = resolveVariables(declared, { threshold: 1, [name]: value });
      assert.ok('faults' in answer);
      assert.deepEqual(
        answer.faults.map((fault) => [fault.variable_name, fault.code]),
        [[name, code]],
      );
    });
  }

  it('report every fault at once and guess what was meant', () => {
    const answer = resolveVariables(declared, { widht: 1, on: 'no', zebra: 1 });
    assert.ok('faults' in answer);
    const brief = answer.faults.map(({ variable_name, code, message }) => [
      variable_name,
      code,
      message,
    ]);
    assert.deepEqual(brief, [
      ['widht', 'unknown_variable', 'Unknown variable, did you mean width?'],
      ['zebra', 'unknown_variable', 'Unknown variable.'],
      ['threshold', 'missing_variable', 'A value is required.'],
      ['on', 'wrong_type', 'Must be true or false.'],
    ]);
  });

  it('need no value when a required one has a default', () => {
    const variable: GraphVariable = {
      variable_name: 'n',
      type: 'integer',
      required: true,
      default: 1,
    };
    assert.deepEqual(resolveVariables([variable], {}), { values: { n: 1 } });
  });

  it('may have any long text without a pattern, up to 64 KiB', () => {
    const variable: GraphVariable = { variable_name: 's', type: 'string' };
    assert.ok('values' in resolveVariables([variable], { s: 'a'.repeat(65_536) }));
    assert.ok('faults' in resolveVariables([variable], { s: 'a'.repeat(65_537) }));
  });

  it('do not stop the server with a pattern made for that', async () => {
    const variable: GraphVariable = { variable_name: 's', type: 'string', pattern: '^(a+)+$' };
    const steps = (length: number) =>
      countSteps(() => resolveVariables([variable], { s: `${'a'.repeat(length)}!` }));

    const [some, twice] = [await steps(1000), await steps(2000)];
    assert.ok(twice < 2.1 * some, `${some}, then ${twice} steps`);
  });

  it('do not stop the server with thousands of names that might be meant', async () => {
    const declared = Array.from({ length: 40 }, (_, index): GraphVariable => {
      return { variable_name: `${'a'.repeat(59)}${index}`, type: 'string' };
    });
    const resolve = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `b${'a'.repeat(56)}${index}z`);
      return resolveVariables(declared, Object.fromEntries(names.map((name) => [name, 1])));
    };

    const answer = resolve(10_000);
    assert.ok('faults' in answer && answer.faults.length === 10_000);
    // Only a few names are compared letter by letter, however many are given.
    const [few, many] = [await countSteps(() => resolve(20)), await countSteps(() => resolve(200))];
    assert.ok(many < 1.2 * few, `${few}, then ${many} steps`);
  });

  it('cannot reach the prototype of an object', () => {
    const answer = resolveVariables([], JSON.parse('{"__proto__":{"polluted":1}}'));
    assert.ok('faults' in answer);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});

describe('the nearest name', () => {
  const names = ['threshold', 'width', 'height', 'on'];
  const cases: [name: string, near: string | null][] = [
    ['thrshold', 'threshold'],
    ['Width', 'width'],
    ['heigth', 'height'],
    ['no', null],
    ['depth', null],
    ['x'.repeat(5000), null],
  ];
  for (const [name, near] of cases) {
    it(`to ${name.slice(0, 12)} is ${near}`, () => assert.equal(nearest(name, names), near));
  }
});
