/** Caching of server state: fresh for a short time, refetched when the window regains focus. */
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
      // The client has already retried what can be retried, for seconds; a refusal is final.
      retry: false,
    },
  },
});
