import { describe, expect, it } from 'vitest';
import { shownVariables } from './run-variables.ts';

const declared = [
  { variable_name: 'width', type: 'integer', required: false, default: 280 },
  { variable_name: 'title', type: 'string', required: false },
  { variable_name: 'grey', type: 'boolean', required: false, default: false },
];

describe('the variables of a run', () => {
  it('are in the order of the version, and what equals the default is marked', () => {
    expect(shownVariables({ grey: true, title: 'Letters', width: 280 }, declared)).toEqual([
      { name: 'width', text: '280', isDefault: true },
      { name: 'title', text: 'Letters', isDefault: false },
      { name: 'grey', text: 'true', isDefault: false },
    ]);
  });

  it('tell that one has no value, and of a default that is false', () => {
    expect(shownVariables({ title: null, grey: false }, declared)).toEqual([
      { name: 'title', text: undefined, isDefault: false },
      { name: 'grey', text: 'false', isDefault: true },
    ]);
  });

  it('are shown before the version is known, with hidden marks spelled out', () => {
    expect(shownVariables({ title: 'a\u202eb' }, undefined)).toEqual([
      { name: 'title', text: expect.stringContaining('U+202E'), isDefault: false },
    ]);
  });
});
