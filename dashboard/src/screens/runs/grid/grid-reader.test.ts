import { createClient } from '@cogworks/sdk/client';
import { expect, it, vi } from 'vitest';
import { GridReader } from './grid-reader.ts';

vi.stubGlobal('requestAnimationFrame', () => 1);
vi.useFakeTimers();

/** A run without files: one step that runs once, in the states that are read one after another. */
function readerOf(...cells: string[]) {
  const asked: string[] = [];
  const answer = async (url: string | URL | Request) => {
    asked.push(String(url instanceof Request ? url.url : url));
    const cell = cells.length > 1 ? cells.shift() : cells[0];
    return Response.json({
      ...{ groups: [], rows: [], offset: 0 },
      nodes: [{ node_key: 'make', cell, counts: {} }],
    });
  };
  const client = createClient({ baseUrl: 'http://localhost', token: () => 'x', fetch: answer });
  return { reader: new GridReader(client, 1), asked };
}

it('reads again what a run without files has, after a gap in its events', async () => {
  const { reader, asked } = readerOf('r', 's');
  const close = reader.open();
  await vi.advanceTimersByTimeAsync(1000);
  expect(reader.rows.onceCells).toBe('r');
  reader.rows.takeEvent({ event: 'reset', data: { reason: 'missed_changes' } });
  reader.readAgain();
  await vi.advanceTimersByTimeAsync(1000);
  expect(reader.rows.onceCells).toBe('s');
  expect(asked.length).toBe(2);
  close();
});
