/** The routes of the dashboard. Each screen is loaded on first use. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { SignInCallback } from './callback.tsx';
import { RouteProblem, RouteUnknown } from './problems.tsx';
import { filesView, runFilters, runStart, shownFiles } from './search.ts';
import { session } from './session.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Outlet });

const callback = createRoute({
  getParentRoute: () => root,
  path: '/callback',
  component: SignInCallback,
});

/** Everything but the callback requires sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: ({ location }) => session.require(location.href),
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/files', replace: true });
  },
});

/** Treats an invalid id as an unknown address; the service's error for it would be confusing. */
function requireId(text: string): void {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw notFound();
}

const filesScreen = lazyRouteComponent(
  () => import('../screens/files/files-screen.tsx'),
  'FilesScreen',
);

const files = createRoute({
  getParentRoute: () => shell,
  path: '/files',
  validateSearch: filesView,
  component: filesScreen,
});

const folder = createRoute({
  getParentRoute: () => shell,
  path: '/files/$folderId',
  beforeLoad: ({ params }) => requireId(params.folderId),
  validateSearch: filesView,
  component: filesScreen,
});

const shared = createRoute({
  getParentRoute: () => shell,
  path: '/shared',
  validateSearch: shownFiles,
  component: lazyRouteComponent(() => import('../screens/files/shared-screen.tsx'), 'SharedScreen'),
});

const trash = createRoute({
  getParentRoute: () => shell,
  path: '/trash',
  component: lazyRouteComponent(() => import('../screens/files/trash-screen.tsx'), 'TrashScreen'),
});

const workflows = createRoute({
  getParentRoute: () => shell,
  path: '/workflows',
  component: lazyRouteComponent(
    () => import('../screens/workflows/workflows-screen.tsx'),
    'WorkflowsScreen',
  ),
});

const workflow = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/$workflowId',
  beforeLoad: ({ params }) => requireId(params.workflowId),
  component: lazyRouteComponent(
    () => import('../screens/workflows/workflow-screen.tsx'),
    'WorkflowScreen',
  ),
});

const runs = createRoute({
  getParentRoute: () => shell,
  path: '/runs',
  validateSearch: runFilters,
  component: lazyRouteComponent(() => import('../screens/runs/runs-screen.tsx'), 'RunsScreen'),
});

const newRun = createRoute({
  getParentRoute: () => shell,
  path: '/runs/new',
  validateSearch: runStart,
  component: lazyRouteComponent(
    () => import('../screens/new-run/new-run-screen.tsx'),
    'NewRunScreen',
  ),
});

const run = createRoute({
  getParentRoute: () => shell,
  path: '/runs/$runId',
  beforeLoad: ({ params }) => requireId(params.runId),
  component: lazyRouteComponent(() => import('../screens/runs/run-screen.tsx'), 'RunScreen'),
});

const apiKeys = createRoute({
  getParentRoute: () => shell,
  path: '/settings/api-keys',
  component: lazyRouteComponent(
    () => import('../screens/api-keys/api-keys-screen.tsx'),
    'ApiKeysScreen',
  ),
});

export const router = createRouter({
  basepath: '/app',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: RouteProblem,
  defaultNotFoundComponent: RouteUnknown,
  routeTree: root.addChildren([
    callback,
    shell.addChildren([
      home,
      files,
      folder,
      shared,
      trash,
      workflows,
      workflow,
      runs,
      newRun,
      run,
      apiKeys,
    ]),
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
