/** Sentences about files and folders. Pure. */
import { plural, t } from '@lingui/core/macro';
import type { Told, Words } from './told.ts';

export const fileWords: Words = {
  'cog.deleted': ({ who, target }) => t`${who} moved ${target} to the trash.`,
  'cog.restored': ({ who, target }) => t`${who} restored ${target} from the trash.`,
  'cog.purged': ({ who, target }) => t`${who} deleted ${target} for ever.`,
  'cog.moved': moved,
  'cog.copied': ({ who, target }) => t`${who} made the copy ${target}.`,
  'cog.transferred': ({ who, target, person }) =>
    t`${who} made ${{ to: person('to') }} the owner of ${target}, which was ${{ from: person('from') }}’s.`,
  'cog.version_restored': ({ who, target, text }) =>
    t`${who} restored version ${{ version: text('version') }} of ${target}.`,
  'cog.version_deleted': ({ who, target, text }) =>
    t`${who} deleted version ${{ version: text('version') }} of ${target}.`,
  'download_url.created': ({ who, details }) =>
    plural(
      { items: itemsOf(details) },
      {
        one: `${who} made a download link for # item.`,
        other: `${who} made a download link for # items.`,
      },
    ),
  'download_url.revoked': ({ who, details }) =>
    plural(
      { items: itemsOf(details) },
      {
        one: `${who} ended a download link for # item.`,
        other: `${who} ended a download link for # items.`,
      },
    ),
};

/** Renamed, put elsewhere, or both. */
function moved({ who, target, details }: Told): string {
  const [from, to] = [placeOf(details.from), placeOf(details.to)];
  const [before, after = '', folder] = [from.name, to.name, to.parent_name];
  const isElsewhere = from.parent_id !== to.parent_id;
  if (before !== undefined && before !== to.name)
    return isElsewhere
      ? t`${who} renamed “${before}” to “${after}” and moved it.`
      : t`${who} renamed “${before}” to “${after}”.`;
  return folder
    ? t`${who} moved ${target} to “${folder}”.`
    : t`${who} moved ${target} to another folder.`;
}

type Place = { name?: string; parent_id?: number; parent_name?: string };

const placeOf = (value: unknown): Place =>
  typeof value === 'object' && value !== null ? (value as Place) : {};

const itemsOf = ({ cog_ids }: Told['details']) => (Array.isArray(cog_ids) ? cog_ids.length : 1);
