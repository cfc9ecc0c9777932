/** Caching of server state: fresh for a short time, refetched when the window regains focus. */
import { ApiError } from '@cogworks/sdk/errors';
import { QueryClient } from '@tanstack/react-query';

// Otherwise the library waits without a word while the browser calls itself offline, and sends later
// what the user has given up meanwhile. The service may be on this very machine.
const networkMode = 'always';

export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode },
    queries: {
      networkMode,
      refetchOnReconnect: true,
      staleTime: 5_000,
      // The client has already retried what can be retried; a refusal is final.
      retry: (count, error) => !(error instanceof ApiError) && count < 1,
    },
  },
});
