/** Signs in as a browser does, at the external provider that a server leads to. */
import assert from 'node:assert/strict';
import { client } from './cast.ts';
import type { TestServer } from './server.ts';
import { authorizationRequest, Browser, codeOf, type Page, redeem } from './sign-in.ts';

type Named = Pick<TestServer, 'url'>;

/** Follows the page's button to the provider and back. */
export async function signInElsewhere(
  server: Named,
  browser = new Browser(server.url),
  request = authorizationRequest(server.url),
) {
  const page = await browser.follow(request.url);
  const button = /href="([^"]+\/external)"/.exec(page.text)?.[1] ?? '';
  return { browser, request, page: await browser.follow(new URL(button, page.url).href) };
}

/** The signed-in person's `/me`. */
export async function whoCame(
  server: Named,
  { request, page }: { request: { verifier: string }; page: Page },
) {
  const code = codeOf(page, server.url);
  assert.ok(code, `no code, but ${page.status}: ${page.text}`);
  const { body } = await redeem(server.url, code, request.verifier);
  const me = client(server.url, body.access_token);
  return { ...(await me.get('/me')).body, me, refresh_token: body.refresh_token };
}
