import { describe, expect, it } from 'vitest';
import { byUrgency, summarise, type UploadItem } from './upload-queue.ts';

const item = (id: number, changes: Partial<UploadItem> = {}): UploadItem => ({
  id,
  folder_id: 1,
  path: `file ${id}`,
  size_bytes: 1_000_000,
  sent_bytes: 0,
  status: 'waiting',
  ...changes,
});

describe('summarise', () => {
  it('counts by bytes, and leaves out what was cancelled or skipped', () => {
    const { share, ...counts } = summarise([
      item(1, { status: 'done' }),
      item(2, { status: 'sending', sent_bytes: 500_000 }),
      item(3, { status: 'failed' }),
      item(4),
      item(5, { status: 'cancelled' }),
      item(6, { status: 'skipped' }),
    ]);
    expect(counts).toEqual({
      ...{ total: 4, done: 1, failed: 1, paused: 0, active: 2 },
      left_bytes: 1_500_000,
    });
    expect(share).toBeCloseTo(0.625, 2);
  });

  it('is complete when there is nothing to send', () => {
    expect(summarise([]).share).toBe(1);
    expect(summarise([item(1, { size_bytes: 0, status: 'done' })]).share).toBe(1);
  });
});

it('puts what needs attention first', () => {
  const queue = [
    item(1, { status: 'done' }),
    item(2),
    item(3, { status: 'paused' }),
    item(4, { status: 'failed' }),
    item(5, { status: 'sending' }),
  ];
  expect(byUrgency(queue).map(({ id }) => id)).toEqual([4, 3, 5, 2, 1]);
});
