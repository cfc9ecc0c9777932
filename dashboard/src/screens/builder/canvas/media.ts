/** Media types as families, for the colours of ports and wires. */

export type Family =
  | 'any'
  | 'image'
  | 'document'
  | 'text'
  | 'table'
  | 'sound'
  | 'video'
  | 'archive';

const subtypes: [RegExp, Family][] = [
  [/csv|spreadsheet|excel|parquet|tab-separated|sqlite/, 'table'],
  [/pdf|msword|wordprocessing|presentation|powerpoint|opendocument|epub|rtf/, 'document'],
  [/zip|tar|gzip|compressed|7z|xz|bzip/, 'archive'],
  [/json|xml|yaml|javascript|x-sh|sql/, 'text'],
];

/** Of one media type or pattern. */
export function familyOf(type: string | undefined): Family {
  if (!type) return 'any';
  const [kind = '', subtype = ''] = type.toLowerCase().split('/');
  if (kind === 'image') return 'image';
  if (kind === 'audio') return 'sound';
  if (kind === 'video') return 'video';
  const known = subtypes.find(([pattern]) => pattern.test(subtype));
  if (known) return known[1];
  return kind === 'text' ? 'text' : 'any';
}

/** Of what a port takes or brings; types of several families are like anything. */
export function familyOfTypes(types: readonly string[] | null | undefined): Family {
  const families = new Set((types ?? []).map(familyOf));
  const [only] = families;
  return families.size === 1 && only ? only : 'any';
}
