/** Reads what an event says has changed. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * A read that is under way may have begun before the change, and no other event may follow: so it is
 * begun anew, also if it is the first.
 */
export async function readAnew(client: QueryClient, queryKey: QueryKey): Promise<void> {
  await client.cancelQueries({ queryKey });
  await client.invalidateQueries({ queryKey });
}
