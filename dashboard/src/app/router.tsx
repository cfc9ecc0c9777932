/** The routes of the dashboard. Each screen is loaded on first use. */
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { viewOf } from '../screens/analytics/view.ts';
import { builderAddress } from '../screens/builder/address.ts';
import { SignInCallback } from './callback.tsx';
import { RouteProblem, RouteUnknown } from './problems.tsx';
import { requireId, root, shell } from './root-routes.ts';
import {
  catalogueSearch,
  filesView,
  gallery,
  runFilters,
  runStart,
  runView,
  shownFiles,
  stepStart,
  stepView,
} from './search.ts';
import { settingsRoutes } from './settings-routes.ts';

const callback = createRoute({
  getParentRoute: () => root,
  path: '/callback',
  component: SignInCallback,
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./invitation.tsx'), 'InvitationPage'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/files', replace: true });
  },
});

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

const start = createRoute({
  getParentRoute: () => shell,
  path: '/start',
  component: lazyRouteComponent(
    () => import('../screens/templates/start-screen.tsx'),
    'StartScreen',
  ),
});

const workflows = createRoute({
  getParentRoute: () => shell,
  path: '/workflows',
  component: lazyRouteComponent(
    () => import('../screens/workflows/workflows-screen.tsx'),
    'WorkflowsScreen',
  ),
});

const templates = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/templates',
  validateSearch: gallery,
  component: lazyRouteComponent(
    () => import('../screens/templates/templates-screen.tsx'),
    'TemplatesScreen',
  ),
});

const template = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/templates/$templateId',
  beforeLoad: ({ params }) => requireId(params.templateId),
  component: lazyRouteComponent(
    () => import('../screens/templates/template-screen.tsx'),
    'TemplateScreen',
  ),
});

const catalogue = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/catalogue',
  validateSearch: catalogueSearch,
  component: lazyRouteComponent(
    () => import('../screens/catalogue/catalogue-screen.tsx'),
    'CatalogueScreen',
  ),
});

const newDefinition = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/catalogue/new',
  validateSearch: stepStart,
  component: lazyRouteComponent(
    () => import('../screens/catalogue/form/new-definition-screen.tsx'),
    'NewDefinitionScreen',
  ),
});

const definition = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/catalogue/$definitionId',
  beforeLoad: ({ params }) => requireId(params.definitionId),
  validateSearch: stepView,
  component: lazyRouteComponent(
    () => import('../screens/catalogue/definition-screen.tsx'),
    'DefinitionScreen',
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

const builder = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/$workflowId/versions/$versionId',
  staticData: { needsRoom: true },
  beforeLoad: ({ params }) => {
    requireId(params.workflowId);
    requireId(params.versionId);
  },
  validateSearch: builderAddress,
  component: lazyRouteComponent(
    () => import('../screens/builder/builder-screen.tsx'),
    'BuilderScreen',
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
  validateSearch: runView,
  component: lazyRouteComponent(() => import('../screens/runs/run-screen.tsx'), 'RunScreen'),
});

const triggers = createRoute({
  getParentRoute: () => shell,
  path: '/triggers',
  component: lazyRouteComponent(
    () => import('../screens/triggers/triggers-screen.tsx'),
    'TriggersScreen',
  ),
});

const trigger = createRoute({
  getParentRoute: () => shell,
  path: '/triggers/$triggerId',
  beforeLoad: ({ params }) => requireId(params.triggerId),
  component: lazyRouteComponent(
    () => import('../screens/triggers/trigger-screen.tsx'),
    'TriggerScreen',
  ),
});

const analytics = createRoute({
  getParentRoute: () => shell,
  path: '/analytics',
  validateSearch: viewOf,
  component: lazyRouteComponent(
    () => import('../screens/analytics/analytics-screen.tsx'),
    'AnalyticsScreen',
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
    invitation,
    shell.addChildren([
      home,
      files,
      folder,
      shared,
      trash,
      start,
      workflows,
      templates,
      template,
      catalogue,
      newDefinition,
      definition,
      workflow,
      builder,
      runs,
      newRun,
      run,
      triggers,
      trigger,
      analytics,
      settingsRoutes,
    ]),
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Whether the menu makes room for the screen. */
    needsRoom?: boolean;
  }
}
