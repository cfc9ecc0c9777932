/** How server state is kept: fresh for a moment, asked again when the window comes back. */
import { ApiError } from '@cogworks/sdk/errors';
import { QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The client has repeated what may be repeated; an answer that refuses stays a refusal.
      retry: (count, error) => !(error instanceof ApiError) && count < 1,
    },
  },
});
