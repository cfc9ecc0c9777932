/** Screens and actions that the palette offers without asking the service. */
import type { Me } from '@cogworks/sdk/contract.gen';
import {
  IconBolt,
  IconBox,
  IconChartBar,
  IconDeviceDesktop,
  IconFlask,
  IconFolder,
  IconFolderPlus,
  IconLogout,
  IconMoon,
  IconPlayerPlay,
  IconPlus,
  IconSettings,
  IconSitemap,
  IconSun,
  IconTemplate,
  IconTrash,
  IconUpload,
  IconUsers,
} from '@tabler/icons-react';
import { sectionsFor } from '../../screens/settings/sections.ts';
import type { Known } from './matching.ts';

type Icon = typeof IconBolt;
export type Entry = Known & { key: string; icon: Icon; hint?: string | undefined } & (
    | { href: string }
    | { act: Act }
  );
export type Act = 'new folder' | 'upload' | 'sign out' | 'light' | 'dark' | 'auto';

const place = (href: string, label: string, icon: Icon, words = '') => ({
  ...{ key: href, href, label, icon, words },
});

export function screensFor(me: Me | undefined): Entry[] {
  const isAdmin = me?.role === 'admin' || me?.is_platform_admin === true;
  return [
    place('/files', 'Files', IconFolder, 'my home'),
    place('/shared', 'Shared with me', IconUsers),
    place('/trash', 'Trash', IconTrash, 'deleted'),
    place('/workflows', 'Workflows', IconSitemap),
    place('/workflows/templates', 'Templates', IconTemplate, 'gallery'),
    place('/workflows/catalogue', 'Steps', IconBox, 'catalogue node definitions'),
    place('/runs', 'Runs', IconPlayerPlay),
    place('/triggers', 'Triggers', IconBolt, 'schedules webhooks'),
    ...(isAdmin ? [place('/analytics', 'Analytics', IconChartBar, 'statistics')] : []),
    ...sectionsFor(me).flatMap(([, sections]) =>
      sections.map(({ to, label, icon }) => ({
        ...place(to, label, icon, 'settings'),
        hint: 'Settings',
      })),
    ),
    place('/settings', 'Settings', IconSettings),
  ];
}

const action = (act: Act, label: string, icon: Icon, words = '') => ({
  ...{ key: act, act, label, icon, words },
});

export const actions: readonly Entry[] = [
  place('/runs/new', 'New run', IconPlus, 'start workflow'),
  action('upload', 'Upload', IconUpload, 'add files'),
  action('new folder', 'New folder', IconFolderPlus, 'create'),
  place('/start', 'Try it on samples', IconFlask, 'first steps start demo'),
  action('light', 'Light colours', IconSun, 'theme appearance colors'),
  action('dark', 'Dark colours', IconMoon, 'theme appearance colors night'),
  action('auto', 'Colours as the system', IconDeviceDesktop, 'theme appearance colors auto'),
  action('sign out', 'Sign out', IconLogout, 'log out leave'),
];
