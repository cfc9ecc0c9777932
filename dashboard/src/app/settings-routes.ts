/** The routes of the settings, which have a frame of their own. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { requireId, shell } from './root-routes.ts';
import { auditFilters, membersFound } from './search.ts';

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

export const settingsRoutes = settings.addChildren([
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
]);
