/** The routes that all others are below. */
import { createRootRoute, createRoute, notFound, Outlet } from '@tanstack/react-router';
import { session } from './session.ts';
import { Shell } from './shell.tsx';

export const root = createRootRoute({ component: Outlet });

/** Everything but the callback and invitations requires sign-in. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: ({ location }) => session.require(location.href),
  component: Shell,
});

/** Treats an invalid id as an unknown address; the service's error for it would be confusing. */
export function requireId(text: string): void {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw notFound();
}
