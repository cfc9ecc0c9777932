/** The screens below `/settings`, in the order of their menu. */
import type { Me } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
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
type Audience = 'all' | 'admins' | 'platform-admins';

const groups = { you: t`You`, organization: t`Organization`, installation: t`Installation` };

const all = [
  { to: '/settings/profile', label: t`Profile`, icon: IconUser, group: 'you', for: 'all' },
  { to: '/settings/security', label: t`Security`, icon: IconLock, group: 'you', for: 'all' },
  { to: '/settings/api-keys', label: t`API keys`, icon: IconKey, group: 'you', for: 'all' },
  {
    to: '/settings/members',
    label: t`Members`,
    icon: IconUsers,
    group: 'organization',
    for: 'all',
  },
  {
    to: '/settings/secrets',
    label: t`Secrets`,
    icon: IconShieldLock,
    group: 'organization',
    for: 'all',
  },
  {
    to: '/settings/workers',
    label: t`Workers`,
    icon: IconServer2,
    group: 'organization',
    for: 'all',
  },
  {
    to: '/settings/notices',
    label: t`Notices`,
    icon: IconBellRinging,
    group: 'organization',
    for: 'all',
  },
  {
    to: '/settings/audit-log',
    label: t`Audit log`,
    icon: IconHistory,
    group: 'organization',
    for: 'admins',
  },
  {
    to: '/settings/subscription',
    label: t`Subscription`,
    icon: IconGauge,
    group: 'organization',
    for: 'all',
  },
  {
    to: '/settings/platform',
    label: t`Organizations`,
    icon: IconBuilding,
    group: 'installation',
    for: 'platform-admins',
  },
] as const satisfies readonly {
  to: string;
  label: string;
  icon: typeof IconKey;
  group: keyof typeof groups;
  for: Audience;
}[];

export type Section = (typeof all)[number];

/** The groups with their screens that this user may use; those for all until the user is known. */
export function sectionsFor(me: Me | undefined): [group: string, Section[]][] {
  const mayUse: Record<Audience, boolean> = {
    all: true,
    admins: me?.role === 'admin',
    'platform-admins': me?.is_platform_admin === true,
  };
  const open = all.filter((section) => mayUse[section.for]);
  const grouped = Map.groupBy(open, ({ group }) => group);
  return [...grouped].map(([group, sections]) => [groups[group], sections]);
}
