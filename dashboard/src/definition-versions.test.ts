import { expect, it } from 'vitest';
import { nextVersion, versionAfter } from './definition-versions.ts';

it('proposes a version that is not taken', () => {
  expect(nextVersion(['1.9', '1.10'])).toBe('1.11');
  expect(nextVersion(['beta'])).toBe('beta.1');
  expect(nextVersion([])).toBe('1');
});

it('counts the versions of the organization, not those of a built-in step', () => {
  const row = (id: number, name: string, version: string, scope: 'tenant' | 'platform') => ({
    ...{ id, name, version, scope },
  });
  const rows = [
    row(1, 'crop', '7', 'platform'),
    row(2, 'crop', '1', 'tenant'),
    row(3, 'crop', '2', 'tenant'),
    row(4, 'other', '9', 'tenant'),
  ];
  expect(versionAfter(rows, { name: 'crop' })).toBe('3');
  expect(versionAfter(rows, { name: 'new' })).toBe('1');
});
