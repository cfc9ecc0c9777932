/**
 * The service as the dashboard uses it: one client and, by its types, what it answers. Screens
 * ask it; `ui/` knows nothing of it.
 */
import { type CallOptions, createClient, type TokenSource } from '@cogworks/sdk/client';
import type { Operations } from '@cogworks/sdk/contract.gen';
import { type ListId, type ListPage, listPage } from '@cogworks/sdk/pages';

let tokens: TokenSource = () => undefined;

/** Where access tokens come from; the session sets it before the first request. */
export function connectTokens(source: TokenSource): void {
  tokens = source;
}

/** The page's own origin serves both. */
export const api = createClient({ baseUrl: '', token: (refused) => tokens(refused) });

/** For what is asked before anyone is signed in: never waits for a token. */
export const publicApi = createClient({ baseUrl: '' });

/** One page of a list, and the cursor of the next. */
export function apiPage<Id extends ListId>(
  id: Id,
  args: Operations[Id]['args'] & CallOptions,
  cursor: string | undefined,
): Promise<ListPage<Id>> {
  return listPage(api, id, args, cursor);
}
