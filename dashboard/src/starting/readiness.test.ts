import { expect, it } from 'vitest';
import { bySpeed, readinessOf } from './readiness.ts';

const image = (state: 'absent' | 'building' | 'ready' | 'failed', is_met = true) => ({
  ...{ kind: 'image' as const, name: 'text', state, is_met },
  message: `Its image is ${state}.`,
});
const worker = (is_met: boolean) => ({
  ...{ kind: 'resources' as const, name: 'Count', is_met },
  message: 'Count needs 1 CPU.',
});
const variable = { kind: 'variable' as const, name: 'size', message: 'You give size.' };

it('is ready if all that is needed is there; variables have defaults or are asked for', () => {
  expect(readinessOf([image('ready'), worker(true), variable]).state).toBe('ready');
});

it('says what is still done, and what is missing first of all', () => {
  expect(readinessOf([image('absent'), worker(true)])).toEqual({
    ...{ state: 'later', label: 'Ready after a download', details: ['Its image is absent.'] },
    may_start: true,
  });
  expect(readinessOf([image('building')]).state).toBe('building');
  const { state, details } = readinessOf([image('building'), worker(false)]);
  expect([state, details]).toEqual(['missing', ['Count needs 1 CPU.']]);
  expect(readinessOf([image('ready'), worker(false)]).may_start).toBe(false);
});

it('may be started if an image could not be made, which is then tried again', () => {
  const { state, may_start } = readinessOf([image('failed', false), worker(true)]);
  expect([state, may_start]).toEqual(['missing', true]);
  expect(readinessOf([image('failed', false), worker(false)]).may_start).toBe(false);
});

it('puts first what runs soonest, of equals what has small samples, and more steps', () => {
  const row = (id: number, size_bytes: number, node_count = 1) => ({
    ...{ id, node_count, samples: [{ size_bytes }] },
  });
  const rows = [row(1, 90_000), row(2, 500), row(3, 1), row(4, 900, 2)];
  const ordered = bySpeed(rows, (id) => (id === 3 ? 'missing' : 'ready'));
  expect(ordered.map(({ id }) => id)).toEqual([4, 2, 1, 3]);
});
