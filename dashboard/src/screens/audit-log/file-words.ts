/** Sentences about files and folders. Pure. */
import { plural } from '../../ui/format.ts';
import type { Told, Words } from './told.ts';

export const fileWords: Words = {
  'cog.deleted': ({ who, target }) => `${who} moved ${target} to the trash.`,
  'cog.restored': ({ who, target }) => `${who} restored ${target} from the trash.`,
  'cog.purged': ({ who, target }) => `${who} deleted ${target} for ever.`,
  'cog.moved': moved,
  'cog.copied': ({ who, target }) => `${who} made the copy ${target}.`,
  'cog.transferred': ({ who, target, person }) =>
    `${who} made ${person('to')} the owner of ${target}, which was ${person('from')}’s.`,
  'cog.version_restored': ({ who, target, text }) =>
    `${who} restored version ${text('version')} of ${target}.`,
  'cog.version_deleted': ({ who, target, text }) =>
    `${who} deleted version ${text('version')} of ${target}.`,
  'download_url.created': ({ who, details }) =>
    `${who} made a download link for ${itemsOf(details)}.`,
  'download_url.revoked': ({ who, details }) =>
    `${who} ended a download link for ${itemsOf(details)}.`,
};

/** Renamed, put elsewhere, or both. */
function moved({ who, target, details }: Told): string {
  const [from, to] = [placeOf(details.from), placeOf(details.to)];
  const isRenamed = from.name !== undefined && from.name !== to.name;
  const isElsewhere = from.parent_id !== to.parent_id;
  const renamed = `renamed “${from.name}” to “${to.name}”`;
  if (isRenamed) return `${who} ${renamed}${isElsewhere ? ' and moved it' : ''}.`;
  return `${who} moved ${target} to ${to.parent_name ? `“${to.parent_name}”` : 'another folder'}.`;
}

type Place = { name?: string; parent_id?: number; parent_name?: string };

const placeOf = (value: unknown): Place =>
  typeof value === 'object' && value !== null ? (value as Place) : {};

const itemsOf = ({ cog_ids }: Told['details']) =>
  plural(Array.isArray(cog_ids) ? cog_ids.length : 1, 'item');
