import type { Worker } from '@cogworks/sdk/contract.gen';
import { expect, it } from 'vitest';
import { sharesOf } from './capacity.ts';

const worker = {
  capacity: { cpu: 8, memory_mb: 16_000, gpu: 0, disk_mb: 500_000 },
  in_use: { cpu: 2.5, memory_mb: 4000 },
  status: 'online',
} as unknown as Worker;

it('says how much of each kind is in use, and nothing of what there is none of', () => {
  expect(sharesOf(worker)).toEqual([
    { label: 'CPU', words: '2.5 of 8', share: 0.3125 },
    { label: 'Memory', words: '4.0 GB of 16.0 GB', share: 0.25 },
    { label: 'Disk', words: '0 B of 500 GB', share: 0 },
  ]);
});

it('does not repeat what a worker said before it was away', () => {
  expect(sharesOf({ ...worker, status: 'offline' })[0]?.words).toBe('0 of 8');
});
