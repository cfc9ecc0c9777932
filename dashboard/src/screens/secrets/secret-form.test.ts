import { expect, it } from 'vitest';
import { asName, emptyForm, nameOf, secretValue } from './secret-form.ts';

it('makes names of what is typed that the service takes', () => {
  expect(asName('api key-2')).toBe('API_KEY_2');
  expect(asName('2nd key')).toBe('ND_KEY');
  expect(asName('_x')).toBe('X');
  expect(asName('a'.repeat(70))).toHaveLength(64);
});

it('proposes a name that says which registry it is for', () => {
  const form = { ...emptyForm, kind: 'registry' as const, server: 'registry.example:5000' };
  expect(nameOf(form)).toBe('REGISTRY_REGISTRY_EXAMPLE_5000');
  expect(nameOf({ ...form, name: 'OURS' })).toBe('OURS');
  expect(nameOf({ ...form, kind: 'generic' })).toBe('');
});

it('has a value when every part of it is given', () => {
  expect(secretValue(emptyForm)).toBeUndefined();
  expect(secretValue({ ...emptyForm, value: ' kept as it is\n' })).toBe(' kept as it is\n');
  const registry = {
    ...emptyForm,
    kind: 'registry' as const,
    server: ' r.example ',
    username: 'u',
  };
  expect(secretValue(registry)).toBeUndefined();
  expect(secretValue({ ...registry, password: ' p ' })).toEqual({
    ...{ server: 'r.example', username: 'u', password: ' p ' },
  });
});
