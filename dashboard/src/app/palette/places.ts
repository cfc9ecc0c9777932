/** Screens and actions that the palette offers without asking the service. */
import type { Me } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import {
  IconBolt,
  IconBox,
  IconChartBar,
  IconDeviceDesktop,
  IconFlask,
  IconFolder,
  IconFolderPlus,
  IconHistory,
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
import {
  type Command,
  commandsOfScreen,
  type Registry,
  stepsOfScreen,
} from '../../commands/registry.ts';
import { sectionsFor } from '../../screens/settings/sections.ts';
import type { Known } from './matching.ts';
import type { Place } from './recent.ts';

type Icon = Command['icon'];
export type Entry = Known & { key: string; icon: Icon; hint?: string | undefined } & (
    | { href: string }
    | { act: Act }
    /** Of the screen; with a reason it cannot be given. */
    | { command: string; of: Registry; keys?: string | undefined; reason?: string | undefined }
  );
export type EntryGroup = { title: string; entries: Entry[] };
export type Act = 'new folder' | 'upload' | 'sign out' | 'light' | 'dark' | 'auto';

/** @param words further words that find it, with spaces between. */
const place = (href: string, label: string, icon: Icon, words = '') => ({
  ...{ key: href, href, label, icon, words },
});

export function screensFor(me: Me | undefined): Entry[] {
  const isAdmin = me?.role === 'admin' || me?.is_platform_admin === true;
  return [
    place('/files', t`Files`, IconFolder, t`my home`),
    place('/shared', t`Shared with me`, IconUsers),
    place('/trash', t`Trash`, IconTrash, t`deleted`),
    place('/workflows', t`Workflows`, IconSitemap),
    place('/workflows/templates', t`Templates`, IconTemplate, t`gallery`),
    place('/workflows/catalogue', t`Steps`, IconBox, t`catalogue node definitions`),
    place('/runs', t`Runs`, IconPlayerPlay),
    place('/triggers', t`Triggers`, IconBolt, t`schedules webhooks`),
    ...(isAdmin ? [place('/analytics', t`Analytics`, IconChartBar, t`statistics`)] : []),
    ...sectionsFor(me).flatMap(([, sections]) =>
      sections.map(({ to, label, icon }) => ({
        ...place(to, label, icon, t`settings`),
        hint: t`Settings`,
      })),
    ),
    place('/settings', t`Settings`, IconSettings),
  ];
}

const action = (act: Act, label: string, icon: Icon, words = '') => ({
  ...{ key: act, act, label, icon, words },
});

export const actions: readonly Entry[] = [
  place('/runs/new', t`New run`, IconPlus, t`start workflow`),
  action('upload', t`Upload`, IconUpload, t`add files`),
  action('new folder', t`New folder`, IconFolderPlus, t`create`),
  place('/start', t`Try it on samples`, IconFlask, t`first steps start demo`),
  action('light', t`Light colours`, IconSun, t`theme appearance colors`),
  action('dark', t`Dark colours`, IconMoon, t`theme appearance colors night`),
  action('auto', t`Colours as the system`, IconDeviceDesktop, t`theme appearance colors auto`),
  action('sign out', t`Sign out`, IconLogout, t`log out leave`),
];

/** Offered all the same, with the reason: whoever looks for it learns why. */
export const isOff = (entry: Entry) => 'command' in entry && entry.reason !== undefined;

type Offered = {
  recent: readonly Place[];
  commands: readonly Entry[];
  general: readonly Entry[];
  screens: readonly Entry[];
};

/** What is offered before anything is typed. Places are first: Enter alone changes nothing. */
export function offered({ recent, commands, general, screens }: Offered): EntryGroup[] {
  const back = recent
    .slice(0, 5)
    .map((one): Entry => ({ ...one, key: `recent ${one.href}`, icon: IconHistory }));
  const own = [
    { title: t`On this screen`, entries: commands.filter((one) => !isOff(one)).slice(0, 7) },
    { title: t`Actions`, entries: general.slice(0, 4) },
  ];
  const goTo = { title: t`Go to`, entries: screens.slice(0, 8) };
  // A new tab has no recent places.
  const groups =
    back.length > 0 ? [{ title: t`Recent`, entries: back }, ...own, goTo] : [goTo, ...own];
  return groups.filter(({ entries }) => entries.length > 0);
}

/** What the screen can do, and the steps of the graph that it shows. */
export const ofScreen = (): { commands: Entry[]; steps: Entry[] } => ({
  commands: commandsOfScreen.read().map((one) => entryOf(one, commandsOfScreen)),
  steps: stepsOfScreen.read().map((one) => entryOf(one, stepsOfScreen)),
});

const entryOf = (
  { id, label, words, icon, keys, about, reason }: Command,
  of: Registry,
): Entry => ({
  ...{ key: `${of === stepsOfScreen ? 'graph' : 'screen'} ${id}`, label, words, icon },
  ...{ hint: reason ?? about, command: id, of, keys, reason },
});
