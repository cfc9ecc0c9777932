/** Caching of server state: fresh for a short time, refetched when the window regains focus. */
import { ApiError } from '@cogworks/sdk/errors';
import { QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The client has already retried what can be retried; a refusal is final.
      retry: (count, error) => !(error instanceof ApiError) && count < 1,
    },
  },
});
