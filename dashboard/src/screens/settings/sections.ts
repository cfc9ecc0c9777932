/** The screens below `/settings`, in the order of their menu. */
import type { Me } from '@cogworks/sdk/contract.gen';
import {
  IconBellRinging,
  IconBuilding,
  IconGauge,
  IconHistory,
  IconKey,
  IconLock,
  IconServer2,
  IconShieldLock,
  IconUser,
  IconUsers,
} from '@tabler/icons-react';

/** Whom a screen is for: everybody, the admins of an organization, or those of the installation. */
type Audience = 'all' | 'admins' | 'platform admins';

const all = [
  { to: '/settings/profile', label: 'Profile', icon: IconUser, group: 'You', for: 'all' },
  { to: '/settings/security', label: 'Security', icon: IconLock, group: 'You', for: 'all' },
  { to: '/settings/api-keys', label: 'API keys', icon: IconKey, group: 'You', for: 'all' },
  {
    to: '/settings/members',
    label: 'Members',
    icon: IconUsers,
    group: 'Organization',
    for: 'all',
  },
  {
    to: '/settings/secrets',
    label: 'Secrets',
    icon: IconShieldLock,
    group: 'Organization',
    for: 'all',
  },
  {
    to: '/settings/workers',
    label: 'Workers',
    icon: IconServer2,
    group: 'Organization',
    for: 'all',
  },
  {
    to: '/settings/notices',
    label: 'Notices',
    icon: IconBellRinging,
    group: 'Organization',
    for: 'all',
  },
  {
    to: '/settings/audit-log',
    label: 'Audit log',
    icon: IconHistory,
    group: 'Organization',
    for: 'admins',
  },
  {
    to: '/settings/subscription',
    label: 'Subscription',
    icon: IconGauge,
    group: 'Organization',
    for: 'all',
  },
  {
    to: '/settings/platform',
    label: 'Organizations',
    icon: IconBuilding,
    group: 'Installation',
    for: 'platform admins',
  },
] as const satisfies readonly {
  to: string;
  label: string;
  icon: typeof IconKey;
  group: 'You' | 'Organization' | 'Installation';
  for: Audience;
}[];

export type Section = (typeof all)[number];

/** The groups with their screens that this user may use; those for all until the user is known. */
export function sectionsFor(me: Me | undefined): [Section['group'], Section[]][] {
  const mayUse: Record<Audience, boolean> = {
    all: true,
    admins: me?.role === 'admin',
    'platform admins': me?.is_platform_admin === true,
  };
  const open = all.filter((section) => mayUse[section.for]);
  return [...Map.groupBy(open, ({ group }) => group)];
}
