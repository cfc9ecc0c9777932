import type { Variable } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { askedOf, valuesFor } from './values.ts';

const variable = (variable_name: string, more: Partial<Variable> = {}) =>
  ({ variable_name, type: 'integer', required: false, ...more }) as Variable;
const version = (...variables: Variable[]) => ({ variables });

const published = version(variable('width', { default: 800 }), variable('gone'));
const draft = version(variable('width', { default: 640 }), variable('added', { required: true }));

describe('a value of a sample', () => {
  it.each([
    ['of a variable that only one has goes to that one', { added: 3 }, {}, { added: 3 }],
    ['that both take goes to both', { width: 500 }, { width: 500 }, { width: 500 }],
    ['that is the default of the draft leaves each its own', { width: 640 }, {}, {}],
    ['that is the default of the published one does, too', { width: 800 }, {}, {}],
    ['that neither knows goes nowhere', { height: 3 }, {}, {}],
  ])('%s', (_, values, before, now) => {
    expect(valuesFor(published, draft, values)).toEqual(before);
    expect(valuesFor(draft, published, values)).toEqual(now);
  });

  it('goes to a version without a default, also if it is the default of the other', () => {
    const without = version(variable('width', { required: true }));
    expect(valuesFor(without, published, { width: 800 })).toEqual({ width: 800 });
    expect(valuesFor(published, without, { width: 800 })).toEqual({});
  });
});

describe('what is asked', () => {
  it('is each variable of either version, as the draft has it', () => {
    expect(askedOf(published, draft)).toEqual([
      variable('width', { default: 640 }),
      variable('gone'),
      variable('added', { required: true }),
    ]);
  });

  it('is required if either version needs a value', () => {
    const needs = version(variable('width', { required: true }));
    expect(askedOf(needs, version(variable('width')))).toEqual([
      variable('width', { required: true }),
    ]);
  });

  it('has no default that only one of them has, where the other needs a value', () => {
    const needs = version(variable('width', { required: true }));
    const has = version(variable('width', { default: 640 }));
    for (const asked of [askedOf(needs, has), askedOf(has, needs)])
      expect(asked).toEqual([variable('width', { required: true })]);
  });
});
