/**
 * The service's client and its types, as the dashboard uses them. Screens use it; `ui/` does not.
 */
import { type CallOptions, createClient, type TokenSource } from '@cogworks/sdk/client';
import type { Operations } from '@cogworks/sdk/contract.gen';
import { type ListId, type ListPage, listPage } from '@cogworks/sdk/pages';

let tokens: TokenSource = () => undefined;

/** Sets the source of access tokens; the session does this before the first request. */
export function connectTokens(source: TokenSource): void {
  tokens = source;
}

/** The page's own origin serves the API too. */
export const api = createClient({ baseUrl: '', token: (refused) => tokens(refused) });

/** For requests before sign-in: never waits for a token. */
export const publicApi = createClient({ baseUrl: '' });

/** One page of a list, and the cursor of the next. */
export function apiPage<Id extends ListId>(
  id: Id,
  args: Operations[Id]['args'] & CallOptions,
  cursor: string | undefined,
): Promise<ListPage<Id>> {
  return listPage(api, id, args, cursor);
}
