import { expect, it } from 'vitest';
import { requestKeys } from './request-key.ts';

const failing = () => Promise.reject(new TypeError('fetch failed'));

it('a request has the same key until it has succeeded', async () => {
  const { once } = requestKeys();
  const sent: string[] = [];
  const send = async (key: string) => void sent.push(key);
  const lost = (key: string) => send(key).then(failing);

  await expect(once({ name: 'A' }, lost)).rejects.toThrow('fetch failed');
  await Promise.all([once({ name: 'A' }, send), once({ name: 'A' }, send)]);
  await once({ name: 'A' }, send);

  expect(sent.map((key) => sent.indexOf(key))).toEqual([0, 0, 0, 3]);
});

it('another request has another key', () => {
  const { keyOf } = requestKeys();
  expect(keyOf({ name: 'A' })).toBe(keyOf({ name: 'A' }));
  expect(keyOf({ name: 'A' })).not.toBe(keyOf({ name: 'B' }));
});
