import { expect, it } from 'vitest';
import { sha256 } from './sha256.ts';

it('gives the same hash as the browser, for texts of each length around a block', async () => {
  for (let length = 0; length < 200; length++) {
    const text = new TextEncoder().encode('Größe, €'.repeat(40).slice(0, length));
    const expected = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
    expect(sha256(text), `${length} characters`).toEqual(expected);
  }
});
