import { expect, it, vi } from 'vitest';

const config = {
  client_id: 'dashboard',
  scopes: ['openid'],
  authorization_endpoint: 'https://here.test/auth',
  token_endpoint: 'https://here.test/token',
  end_session_endpoint: 'https://here.test/session/end',
};

it('leaves for the end of the session alone, whatever asks for a token meanwhile', async () => {
  const left: string[] = [];
  const kept = new Map([
    ['cogworks.refresh-token', 'refresh'],
    ['cogworks.id-token', 'id'],
  ]);
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal('location', {
    ...{ origin: 'https://here.test', pathname: '/app/files', search: '' },
    assign: (url: URL) => left.push(url.pathname),
  });
  vi.stubGlobal('fetch', async () => Response.json(config));
  const { session } = await import('./session.ts');

  void session.signOut();
  await vi.waitFor(() => expect(left).toEqual(['/session/end']));
  void session.token(undefined);
  void session.require('/files');
  // What sign-in does first is ready by then: it would have left.
  await crypto.subtle.digest('SHA-256', new Uint8Array(1));
  await new Promise((done) => setTimeout(done));
  await new Promise((done) => setTimeout(done));

  expect(left).toEqual(['/session/end']);
});
