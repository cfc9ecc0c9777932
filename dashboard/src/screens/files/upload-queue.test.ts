import { describe, expect, it } from 'vitest';
import { changeItem, nextName, summarise, toStart, type UploadItem } from './upload-queue.ts';

const item = (id: number, changes: Partial<UploadItem> = {}): UploadItem => ({
  id,
  folder_id: 1,
  name: `file ${id}`,
  size_bytes: 1_000_000,
  sent_bytes: 0,
  status: 'waiting',
  ...changes,
});

describe('toStart', () => {
  it('starts three at once, the oldest first', () => {
    const queue = [1, 2, 3, 4].map((id) => item(id));
    expect(toStart(queue).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('fills up when one has ended', () => {
    const queue = [
      item(1, { status: 'done' }),
      item(2, { status: 'sending' }),
      item(3, { status: 'sending' }),
      item(4),
      item(5),
    ];
    expect(toStart(queue).map(({ id }) => id)).toEqual([4]);
  });
});

describe('summarise', () => {
  it('counts by bytes, and leaves out what was cancelled', () => {
    const { share, ...counts } = summarise([
      item(1, { status: 'done' }),
      item(2, { status: 'sending', sent_bytes: 500_000 }),
      item(3, { status: 'failed' }),
      item(4),
      item(5, { status: 'cancelled' }),
    ]);
    expect(counts).toEqual({ total: 4, done: 1, failed: 1, active: 2 });
    expect(share).toBeCloseTo(0.625, 2);
  });

  it('is complete when there is nothing to send', () => {
    expect(summarise([]).share).toBe(1);
    expect(summarise([item(1, { size_bytes: 0, status: 'done' })]).share).toBe(1);
  });
});

it('changes one item and keeps the others', () => {
  const queue = [item(1), item(2)];
  const changed = changeItem(queue, 2, { status: 'sending' });
  expect(changed[0]).toBe(queue[0]);
  expect(changed[1]?.status).toBe('sending');
});

describe('nextName', () => {
  it.each([
    ['photo.jpg', 'photo (2).jpg'],
    ['photo (2).jpg', 'photo (3).jpg'],
    ['notes', 'notes (2)'],
    ['.profile', '.profile (2)'],
    ['archive.tar.gz', 'archive.tar (2).gz'],
  ])('makes of %s %s', (name, next) => expect(nextName(name)).toBe(next));
});
