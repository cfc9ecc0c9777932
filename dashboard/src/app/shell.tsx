/** The frame around all screens: the menu, the user, and uploads under way. */

import type { Me } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  ActionIcon,
  Avatar,
  Menu,
  Text,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import {
  IconBolt,
  IconChartBar,
  IconDeviceDesktop,
  IconFolder,
  IconLogout,
  IconMoon,
  IconPlayerPlay,
  IconSettings,
  IconSitemap,
  IconSun,
  IconTrash,
  IconUser,
  IconUsers,
} from '@tabler/icons-react';
import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { fullName, useMe } from '../people.ts';
import { Logo } from './logo.tsx';
import { session } from './session.ts';
import classes from './shell.module.css';
import { Tools } from './tools.tsx';

/** With what sends uploads, which the first page need not wait for. */
const UploadPanel = lazy(async () => ({
  default: (await import('../screens/files/upload-panel.tsx')).UploadPanel,
}));

const places = [
  { to: '/files', label: t`Files`, icon: IconFolder },
  { to: '/shared', label: t`Shared with me`, icon: IconUsers, isWide: true },
  { to: '/trash', label: t`Trash`, icon: IconTrash, isWide: true },
  { to: '/workflows', label: t`Workflows`, icon: IconSitemap },
  { to: '/runs', label: t`Runs`, icon: IconPlayerPlay },
  { to: '/triggers', label: t`Triggers`, icon: IconBolt },
  { to: '/analytics', label: t`Analytics`, icon: IconChartBar, isForAdmins: true },
  { to: '/settings', label: t`Settings`, icon: IconSettings },
] as const;

export function Shell() {
  const { data: me } = useMe();
  const isAdmin = me?.role === 'admin' || me?.is_platform_admin === true;
  const open = places.filter((place) => isAdmin || !('isForAdmins' in place));
  const isCompact = useMatches({
    select: (matches) => matches.some(({ staticData }) => staticData.needsRoom),
  });
  return (
    <div className={classes.shell} data-compact={isCompact}>
      <a className={classes.skip} href="#content">
        <Trans>Skip to content</Trans>
      </a>
      <header className={classes.top}>
        <Link to="/files" className={classes.brand}>
          <Logo size={26} />
          <span className={classes.label}>Cogworks</span>
        </Link>
        <Tools />
      </header>
      <nav aria-label={t`Main`} className={classes.rail}>
        <div className={classes.nav}>
          {open.map(({ to, label, icon: Icon, ...place }) => (
            <div key={to} className={'isWide' in place ? classes.wide : undefined}>
              <Link
                to={to}
                className={classes.link}
                activeProps={{ 'aria-current': 'page' }}
                {...(isCompact ? { title: label } : {})}
              >
                <Icon size={19} stroke={1.7} aria-hidden />
                <span className={classes.label}>{label}</span>
              </Link>
            </div>
          ))}
        </div>
        <AccountMenu me={me} />
      </nav>
      <div id="content" tabIndex={-1} className={classes.content}>
        <Outlet />
      </div>
      <Suspense>
        <UploadPanel />
      </Suspense>
    </div>
  );
}

function AccountMenu({ me }: { me: Me | undefined }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = me ? fullName(me) : '';
  const schemes = [
    { value: 'light', label: t`Light`, icon: IconSun },
    { value: 'dark', label: t`Dark`, icon: IconMoon },
    { value: 'auto', label: t`As the system`, icon: IconDeviceDesktop },
  ] as const;
  return (
    <div className={classes.account}>
      <Menu position="top-start" width={224}>
        <Menu.Target>
          <ActionIcon variant="transparent" className={classes.person}>
            <Avatar name={name} color="petrol" size={32} radius="xl" aria-hidden />
            <VisuallyHidden>
              <Trans>Account of {name}</Trans>
            </VisuallyHidden>
            <span className={classes.names}>
              <Text component="span" size="sm" fw={550} truncate aria-hidden>
                {name}
              </Text>
              {me && name !== me.email && (
                <Text component="span" size="xs" c="var(--faint)" truncate>
                  {me.email}
                </Text>
              )}
            </span>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Trans>Appearance</Trans>
          </Menu.Label>
          {schemes.map(({ value, label, icon: Icon }) => (
            <Menu.Item
              key={value}
              leftSection={<Icon size={16} />}
              onClick={() => setColorScheme(value)}
              {...(colorScheme === value ? { c: 'var(--accent-text)' } : {})}
              aria-current={colorScheme === value}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component={Link} to="/settings/profile" leftSection={<IconUser size={16} />}>
            <Trans>Profile</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void session.signOut()}>
            <Trans>Sign out</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
