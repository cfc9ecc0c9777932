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
import { viewOf } from '../screens/analytics/view.ts';
import { builderAddress } from '../screens/builder/address.ts';
import { SignInCallback } from './callback.tsx';
import { RouteProblem, RouteUnknown } from './problems.tsx';
import {
  auditFilters,
  catalogueSearch,
  filesView,
  gallery,
  membersFound,
  runFilters,
  runStart,
  shownFiles,
  stepStart,
} from './search.ts';
import { session } from './session.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Outlet });

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

/** Everything but the callback and invitations requires sign-in. */
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

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('../screens/settings/settings-frame.tsx'),
    'SettingsFrame',
  ),
});

const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/profile', replace: true });
  },
});

const apiKeys = createRoute({
  getParentRoute: () => settings,
  path: '/api-keys',
  component: lazyRouteComponent(
    () => import('../screens/api-keys/api-keys-screen.tsx'),
    'ApiKeysScreen',
  ),
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/profile',
  component: lazyRouteComponent(
    () => import('../screens/profile/profile-screen.tsx'),
    'ProfileScreen',
  ),
});

const security = createRoute({
  getParentRoute: () => settings,
  path: '/security',
  component: lazyRouteComponent(
    () => import('../screens/profile/security-screen.tsx'),
    'SecurityScreen',
  ),
});

const members = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  validateSearch: membersFound,
  component: lazyRouteComponent(
    () => import('../screens/members/members-screen.tsx'),
    'MembersScreen',
  ),
});

const auditLog = createRoute({
  getParentRoute: () => settings,
  path: '/audit-log',
  validateSearch: auditFilters,
  component: lazyRouteComponent(
    () => import('../screens/audit-log/audit-log-screen.tsx'),
    'AuditLogScreen',
  ),
});

const secrets = createRoute({
  getParentRoute: () => settings,
  path: '/secrets',
  component: lazyRouteComponent(
    () => import('../screens/secrets/secrets-screen.tsx'),
    'SecretsScreen',
  ),
});

const workers = createRoute({
  getParentRoute: () => settings,
  path: '/workers',
  component: lazyRouteComponent(
    () => import('../screens/workers/workers-screen.tsx'),
    'WorkersScreen',
  ),
});

const notices = createRoute({
  getParentRoute: () => settings,
  path: '/notices',
  component: lazyRouteComponent(
    () => import('../screens/notices/notices-screen.tsx'),
    'NoticesScreen',
  ),
});

const notice = createRoute({
  getParentRoute: () => settings,
  path: '/notices/$noticeId',
  beforeLoad: ({ params }) => requireId(params.noticeId),
  component: lazyRouteComponent(
    () => import('../screens/notices/notice-screen.tsx'),
    'NoticeScreen',
  ),
});

const subscription = createRoute({
  getParentRoute: () => settings,
  path: '/subscription',
  component: lazyRouteComponent(
    () => import('../screens/subscription/subscription-screen.tsx'),
    'SubscriptionScreen',
  ),
});

const platform = createRoute({
  getParentRoute: () => settings,
  path: '/platform',
  component: lazyRouteComponent(
    () => import('../screens/platform/platform-screen.tsx'),
    'PlatformScreen',
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
      settings.addChildren([
        settingsHome,
        profile,
        security,
        apiKeys,
        members,
        secrets,
        workers,
        notices,
        notice,
        auditLog,
        subscription,
        platform,
      ]),
    ]),
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
