/** The dashboard's entry point: assembles the parts and renders them. */
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { connectTokens } from './api.ts';
import { queryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { session } from './app/session.ts';
import { cssVariables, styleNonce, theme } from './app/theme.ts';
import { locale } from './ui/language.ts';

connectTokens(session.token);
document.documentElement.lang = locale;

/** What is told before they are there is shown then. */
const Notices = lazy(async () => ({ default: (await import('./app/notices.tsx')).Notices }));

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={styleNonce}
      >
        <Suspense>
          <Notices />
        </Suspense>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
