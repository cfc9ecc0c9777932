import { describe, expect, it } from 'vitest';
import { familyOf, familyOfTypes } from './media.ts';

describe('media families', () => {
  it('tells families apart by type and subtype', () => {
    const types = ['image/png', 'application/pdf', 'text/csv', 'application/json', 'audio/*'];
    expect(types.map(familyOf)).toEqual(['image', 'document', 'table', 'text', 'sound']);
  });

  it('calls a mixture anything', () => {
    expect(familyOfTypes(['image/png', 'image/jpeg'])).toBe('image');
    expect(familyOfTypes(['image/png', 'application/pdf'])).toBe('any');
    expect(familyOfTypes(undefined)).toBe('any');
  });
});
