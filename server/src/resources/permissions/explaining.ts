/** Effective access in words, as a pure function. */
import { type Access, accessBy } from './rules.ts';

export type Explained = {
  reason: 'tenant_admin' | 'grant' | 'root' | 'workflow_outputs' | 'none';
  access?: Access | undefined;
  /** When the deciding grant ends. */
  expires_at?: string | undefined;
  /** The folder with the deciding grant; undefined if it is on the cog itself. */
  folder?:
    | {
        /** Undefined if whoever asks may not see it. */
        name: string | undefined;
        /** 1 for the folder that the cog is in. */
        levels_up: number;
      }
    | undefined;
};

/** For example: Editor, through the grant on “Clients”, two folders up, until 3 March 2027, 12:00 UTC. */
export function explanationOf({ reason, access, expires_at, folder }: Explained): string {
  if (!access || reason === 'none')
    return 'No access: there is no grant on it or on a folder above.';
  switch (reason) {
    case 'tenant_admin':
      return 'Owner, as an administrator.';
    case 'root':
      return `${levelOf(access)}: every member sees the root folder and creates in it.`;
    case 'workflow_outputs':
      return `${levelOf(access)}: every member sees the folder of all results and creates in it.`;
    case 'grant':
      return `${levelOf(access)}, through ${placeOf(folder)}${untilOf(expires_at)}.`;
  }
}

function levelOf(access: Access): string {
  const usual = accessBy({ level: access.level });
  const different = (may: boolean) =>
    [
      access.can_upload !== usual.can_upload && access.can_upload === may && 'upload',
      access.can_share !== usual.can_share && access.can_share === may && 'share',
      access.can_delete !== usual.can_delete && access.can_delete === may && 'delete',
    ].filter((word) => word !== false);
  const [more, less] = [different(true), different(false)];
  const additions = [
    ...(more.length > 0 ? [`who may also ${listed(more, 'and')}`] : []),
    ...(less.length > 0 ? [`who may not ${listed(less, 'or')}`] : []),
  ];
  return [capitalized(access.level), additions.join(' but ')].filter(Boolean).join(' ');
}

function listed(words: string[], last: 'and' | 'or'): string {
  if (words.length < 2) return words.join();
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function placeOf(folder: Explained['folder']): string {
  if (!folder) return 'a grant on the item itself';
  const { name, levels_up } = folder;
  if (name === undefined) return 'a grant on a folder above that you cannot see';
  const count = numbers[levels_up - 1] ?? levels_up;
  return `the grant on “${name}”, ${count} ${levels_up === 1 ? 'folder' : 'folders'} up`;
}

const dateAndTime = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'long', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', timeZone: 'UTC' },
});

function untilOf(expires_at: string | undefined): string {
  if (expires_at === undefined) return '';
  const part = Object.fromEntries(
    dateAndTime.formatToParts(new Date(expires_at)).map(({ type, value }) => [type, value]),
  );
  return `, until ${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute} UTC`;
}
