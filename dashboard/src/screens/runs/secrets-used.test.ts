import { expect, it } from 'vitest';
import { secretsUsed } from './secrets-used.ts';

const given = (...all: [name: string, version: number, attempt?: number][]) => ({
  secrets: all.map(([name, version, attempt = 1]) => ({ name, version, attempt })),
});

it('says which version of a secret a step used', () => {
  expect(secretsUsed(given(['db-password', 3]))).toBe('db-password, version 3');
  expect(secretsUsed(given(['a', 1], ['b', 2]))).toBe('a, version 1; b, version 2');
  expect(secretsUsed({})).toBeUndefined();
});

it('says when a secret was replaced between tries', () => {
  const tries = given(['a', 1, 1], ['a', 1, 2], ['a', 4, 3]);
  expect(secretsUsed(tries)).toBe('a, version 1, version 4 from try 3 on');
});
