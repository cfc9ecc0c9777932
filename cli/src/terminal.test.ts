import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { openPages } from './terminal.ts';

async function printed(isJson: boolean, pages: { name: string }[][]): Promise<string> {
  // Full at once, like the pipe of a slow reader.
  const out = new PassThrough({ highWaterMark: 1 });
  const reading = (async () => {
    let text = '';
    for await (const piece of out.setEncoding('utf8')) text += piece;
    return text;
  })();
  const answer = openPages(out as unknown as NodeJS.WriteStream, {});
  await answer(isJson, pages, (rows) => rows.map(({ name }) => name));
  out.end();
  return reading;
}

describe('a list that is printed page by page', () => {
  const rows = ['a', 'b\n"c', 'd'].map((name) => ({ name }));
  const pages = [rows.slice(0, 2), [], rows.slice(2)];

  it('is the same JSON as at once', async () => {
    assert.equal(await printed(true, pages), `${JSON.stringify(rows, null, 2)}\n`);
    assert.equal(await printed(true, []), '[]\n');
  });

  it('is one line for each row', async () => {
    assert.equal(
      await printed(false, [[{ name: 'a' }, { name: 'b' }], [{ name: 'c' }]]),
      'a\nb\nc\n',
    );
    assert.equal(await printed(false, [[]]), '');
  });
});
