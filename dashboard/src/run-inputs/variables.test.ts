import type { Variable } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { defaultsOf, faultsByVariable, valuesOf } from './variables.ts';

const variables: Variable[] = [
  { variable_name: 'width', type: 'integer', required: false, default: 800 },
  { variable_name: 'ratio', type: 'number', required: true },
  { variable_name: 'mode', type: 'enum', required: true, enum: ['fit', 'fill'] },
  { variable_name: 'sharpen', type: 'boolean', required: false, default: true },
  { variable_name: 'label', type: 'string', required: false },
];

it('fills the form with the defaults', () => {
  expect(defaultsOf(variables)).toEqual({
    width: '800',
    ratio: '',
    mode: '',
    sharpen: true,
    label: '',
  });
});

it('fills it with the values of an earlier run first', () => {
  const filled = defaultsOf(variables, { width: 280, sharpen: false, gone: 1 });
  expect(filled).toMatchObject({ width: '280', sharpen: false, mode: '' });
  expect(Object.keys(filled)).toHaveLength(variables.length);
});

describe('valuesOf', () => {
  it('gives each value its type and leaves empty ones out', () => {
    const fields = { width: '640', ratio: '0.5', mode: 'fill', sharpen: false, label: '' };
    expect(valuesOf(variables, fields)).toEqual({
      width: 640,
      ratio: 0.5,
      mode: 'fill',
      sharpen: false,
    });
  });

  it('keeps a choice that is a number a number', () => {
    const size: Variable = { variable_name: 's', type: 'enum', required: true, enum: [1, 2] };
    expect(valuesOf([size], { s: '2' })).toEqual({ s: 2 });
  });

  it('leaves it to the service to refuse what is no number', () => {
    expect(valuesOf(variables, { width: 'wide' })).toEqual({ width: 'wide' });
  });
});

it('puts the faults beside their fields', () => {
  const faults = [
    { loc: ['body', 'extra_variables', 'width'], msg: 'Must be >= 1.' },
    { loc: ['body', 'cog_ids'], msg: 'Choose a file.' },
  ];
  expect(faultsByVariable(faults, variables)).toEqual({
    byName: { width: 'Must be >= 1.' },
    others: ['Choose a file.'],
  });
});
