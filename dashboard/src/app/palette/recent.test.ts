import type { AnyRouter } from '@tanstack/react-router';
import { expect, it, vi } from 'vitest';
import { followPlaces, recentPlaces } from './recent.ts';

it('places that one user left are not shown to who signs in next', () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  vi.stubGlobal('document', { title: 'Salaries · Cogworks' });
  let leave: (event: object) => void = () => {};
  const router = {
    subscribe: (_: string, listener: typeof leave) => {
      leave = listener;
    },
  } as unknown as AnyRouter;
  followPlaces(router, 1);
  leave({ fromLocation: { href: '/files/7' }, pathChanged: true });
  expect(recentPlaces(1)).toEqual([{ href: '/files/7', label: 'Salaries' }]);
  expect(recentPlaces(2)).toEqual([]);
});
