/** What a grant gives, in words; and grants as the fields of a form. Pure. */
import type { Permission } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { locale } from '../../../ui/language.ts';

export type Level = Permission['level'];

export const levels: readonly { value: Level; label: string; gives: string }[] = [
  { value: 'viewer', label: t`Viewer`, gives: t`sees and downloads` },
  { value: 'editor', label: t`Editor`, gives: t`also adds and changes` },
  { value: 'owner', label: t`Owner`, gives: t`also deletes and shares` },
];

export const levelLabel = (level: Level): string =>
  levels.find(({ value }) => value === level)?.label ?? level;

export const overrides = [
  { field: 'can_upload', label: t`Add and change`, may: t`may add`, mayNot: t`may not add` },
  { field: 'can_share', label: t`Share`, may: t`may share`, mayNot: t`may not share` },
  { field: 'can_delete', label: t`Delete`, may: t`may delete`, mayNot: t`may not delete` },
] as const;

export type Override = (typeof overrides)[number]['field'];

/** What users choose. Without a date it does not expire; without an override the level decides. */
export type GrantFields = {
  level: Level;
  /** The last day on which it holds, as `YYYY-MM-DD` in the reader's time zone; or empty. */
  until: string;
} & Record<Override, boolean | undefined>;

export const newGrant: GrantFields = {
  level: 'viewer',
  until: '',
  can_upload: undefined,
  can_share: undefined,
  can_delete: undefined,
};

export const fieldsOf = (grant: Permission): GrantFields => ({
  level: grant.level,
  until: grant.expires_at === undefined ? '' : dayOf(new Date(grant.expires_at)),
  can_upload: grant.can_upload,
  can_share: grant.can_share,
  can_delete: grant.can_delete,
});

export type GrantValues = Pick<Permission, 'level' | 'expires_at' | Override>;

/** As the service takes them. A day ends at midnight where the user is. */
export const valuesOf = ({ level, until, ...rest }: GrantFields): GrantValues => ({
  level,
  ...(until && { expires_at: endOf(until).toISOString() }),
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
});

/** The same values again. */
export const valuesOfGrant = (grant: Permission): GrantValues => {
  const { level, expires_at, can_upload, can_share, can_delete } = grant;
  return { level, expires_at, can_upload, can_share, can_delete };
};

function endOf(day: string): Date {
  const end = new Date(`${day}T00:00:00`);
  end.setDate(end.getDate() + 1);
  return end;
}

/** The last day that is over by then. */
export function dayOf(end: Date): string {
  const last = new Date(end.getTime() - 1);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${last.getFullYear()}-${two(last.getMonth() + 1)}-${two(last.getDate())}`;
}

/** That one person has a level now. */
export const oneHas: Record<Level, (person: string, place: string) => string> = {
  viewer: (person, place) => t`${person} is viewer of “${place}” now.`,
  editor: (person, place) => t`${person} is editor of “${place}” now.`,
  owner: (person, place) => t`${person} is owner of “${place}” now.`,
};

/** That several people have it. */
export const manyHave: Record<Level, (count: number, place: string) => string> = {
  viewer: (count, place) =>
    plural(count, {
      one: `# person is viewer of “${place}” now.`,
      other: `# people are viewers of “${place}” now.`,
    }),
  editor: (count, place) =>
    plural(count, {
      one: `# person is editor of “${place}” now.`,
      other: `# people are editors of “${place}” now.`,
    }),
  owner: (count, place) =>
    plural(count, {
      one: `# person is owner of “${place}” now.`,
      other: `# people are owners of “${place}” now.`,
    }),
};

/** What is particular about a grant, besides its level. */
export function particulars(grant: Permission, now: Date): string[] {
  const end = grant.expires_at === undefined ? undefined : new Date(grant.expires_at);
  const until = end === undefined ? [] : [end <= now ? t`expired` : t`until ${formatEnd(end)}`];
  const changed = overrides.flatMap(({ field, may, mayNot }) =>
    grant[field] === undefined ? [] : [grant[field] ? may : mayNot],
  );
  return [...changed, ...until];
}

/** The end of a day by the day alone. */
function formatEnd(end: Date): string {
  const isMidnight = end.getHours() === 0 && end.getMinutes() === 0;
  const last = isMidnight ? new Date(end.getTime() - 1) : end;
  return last.toLocaleString(locale, {
    dateStyle: 'medium',
    ...(!isMidnight && { timeStyle: 'short' }),
  });
}
