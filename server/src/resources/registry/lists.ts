/** Lists of the registry: tags, repositories, and manifests that are about another one. */
import type { Services } from '../../services.ts';
import { namespaceOf } from './addresses.ts';
import { nameInvalid, unknownName } from './faults.ts';
import {
  hasRepository,
  listReferrers,
  listRepositories,
  listTagNames,
  type ReferrerRow,
} from './manifest-queries.ts';
import type { Place } from './manifests.ts';

/** `n` and `last` of a list. */
export type Part = { limit: number; after: string };

/** A page of names, and the last one if there are more. */
export type Names = { names: string[]; more: string | undefined };

const most = 1000;

/** @throws DomainError if `n` is not a number. */
export function partOf({ n, last }: Readonly<Record<string, string | undefined>>): Part {
  if (n !== undefined && !/^\d{1,9}$/.test(n)) throw nameInvalid('n must be a number.');
  return { limit: Math.min(most, n === undefined ? most : Number(n)), after: last ?? '' };
}

/**
 * @param tenantId who asks; the images of the platform are another's.
 * @throws DomainError `NAME_UNKNOWN` for a repository without manifests.
 */
export async function tagsOf(
  { readDb }: Pick<Services, 'readDb'>,
  place: Place,
  part: Part,
  tenantId: number,
): Promise<Names> {
  const [rows, isKnown] = await Promise.all([
    listTagNames(readDb, place, oneMore(part)),
    hasRepository(readDb, place),
  ]);
  if (!isKnown) throw unknownName(namespaceOf(tenantId));
  return namesOf(rows, part);
}

export const repositoriesOf = async (
  { readDb }: Pick<Services, 'readDb'>,
  tenantId: number,
  part: Part,
): Promise<Names> => namesOf(await listRepositories(readDb, tenantId, oneMore(part)), part);

/** With annotations (manifest-shape.ts), less than the 4 MiB that clients read. */
const mostReferrers = 50;

const indexType = 'application/vnd.oci.image.index.v1+json';

/** The manifests about another, as an image index. */
export async function referrersOf(
  { readDb }: Pick<Services, 'readDb'>,
  place: Place,
  subject: string,
  part: Part,
  type: string | undefined,
) {
  const limit = Math.min(part.limit, mostReferrers);
  const page = { after: part.after, limit: limit + 1, type };
  const rows = await listReferrers(readDb, place, subject, page);
  const shown = rows.slice(0, limit);
  const index = {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: shown.map(descriptorOf),
  };
  return { index, more: rows.length > limit ? shown.at(-1)?.digest : undefined };
}

const descriptorOf = ({
  digest,
  media_type,
  artifact_type,
  annotations,
  size_bytes,
}: ReferrerRow) => ({
  mediaType: media_type,
  digest,
  size: size_bytes,
  ...(artifact_type === undefined ? {} : { artifactType: artifact_type }),
  ...(annotations === undefined ? {} : { annotations }),
});

const oneMore = ({ after, limit }: Part) => ({ after, limit: limit + 1 });

function namesOf(rows: readonly { name: string }[], { limit }: Part): Names {
  const names = rows.slice(0, limit).map(({ name }) => name);
  return { names, more: rows.length > limit ? names.at(-1) : undefined };
}
