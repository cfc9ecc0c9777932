/**
 * The embedded provider, asked without leaving the page: who is signed in in this browser, and
 * signing in with a password that was chosen just now. It has the origin of this page, so answers
 * and redirects can be read, also of those who have signed in by way of an external one.
 */

import { createClient } from '@cogworks/sdk/client';
import type { Me } from '@cogworks/sdk/contract.gen';
import { publicApi } from '../api.ts';
import { newAttempt } from './pkce.ts';
import { authorizationUrl, keep, redeem } from './session.ts';

/** Somebody who is signed in in this browser, perhaps in another tab. */
export type Visitor = { me: Me; signOut: () => Promise<void> };

export async function findVisitor(): Promise<Visitor | undefined> {
  const asked = await ask({ prompt: 'none' });
  const search = searchOf(asked.answer);
  if (!search?.has('code')) return undefined;
  const { access_token } = await redeem(asked.config, asked.attempt, search);
  const client = createClient({ baseUrl: '', token: () => access_token });
  return {
    me: await client.getMe(),
    signOut: async () => {
      const sessions = await client.listSessions({ query: { limit: 1000 } });
      const current = sessions.find(({ is_current }) => is_current);
      if (current) await client.endSession({ path: { id: current.id } });
    },
  };
}

/** Signs this tab in. @returns false if the provider wants to ask for more on its own page. */
export async function signInQuietly(email: string, password: string): Promise<boolean> {
  const asked = await ask({ prompt: 'login', login_hint: email });
  const answer = await fetch(asked.answer.url, {
    method: 'POST',
    body: new URLSearchParams({ email, password }),
  });
  const search = searchOf(answer);
  if (!search?.has('code')) return false;
  keep(await redeem(asked.config, asked.attempt, search));
  return true;
}

async function ask(more: Record<string, string>) {
  const config = await publicApi.getSignInConfig();
  const attempt = newAttempt('/files');
  const answer = await fetch(await authorizationUrl(config, attempt, more));
  return { config, attempt, answer };
}

/** The query of the page that redirects have led to, if they have led back here. */
function searchOf({ url }: Response): URLSearchParams | undefined {
  const { origin, pathname, searchParams } = new URL(url);
  return origin === location.origin && pathname === '/app/callback' ? searchParams : undefined;
}
