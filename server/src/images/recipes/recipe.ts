/** What an image is made of. Pure. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@cogworks/graph/hash';

export type Recipe = {
  /** As in `cogworks.internal/platform/<name>`. */
  name: string;
  /** Debian packages; those they depend on come with them. */
  packages: readonly string[];
  /** Not unpacked: what only the scripts of packages need, which do not run here. */
  leave_out: readonly string[];
  /** Removed after unpacking, below the root. */
  remove: readonly string[];
  /**
   * Links that scripts of packages would have made: where, and what beside it each release of Debian
   * calls the program.
   */
  links: Readonly<Record<string, readonly string[]>>;
  /** About how much is fetched, for people who wait. */
  download_mb: number;
};

/** Counted up when images are put together differently. */
const builderVersion = 1;

/** What an image is called: another recipe is another image, and the same is never made twice. */
export const tagOf = ({ download_mb: _, ...recipe }: Recipe): string =>
  createHash('sha256')
    .update(canonicalJson({ builderVersion, ...recipe }))
    .digest('hex')
    .slice(0, 12);

/** Needed by the scripts of packages alone. */
export const ofScripts = [
  ...['debconf', 'dpkg', 'perl-base', 'libperl5.36', 'sensible-utils', 'tar', 'ucf', 'passwd'],
  ...[
    'adduser',
    'init-system-helpers',
    'libdebconfclient0',
    'hicolor-icon-theme',
    'libpam-runtime',
  ],
];

/** For people, not for programs. */
export const forPeople = [
  ...['usr/share/doc', 'usr/share/man', 'usr/share/info', 'usr/share/locale', 'usr/share/lintian'],
  ...['usr/share/bug', 'usr/share/menu', 'usr/share/applications', 'usr/share/pixmaps'],
  ...['usr/share/bash-completion', 'usr/share/zsh', 'usr/share/doc-base', 'etc/cron.daily'],
];
