/** Media types as families, for the colours of ports and wires, and in few letters. */

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

const names: Record<string, string> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'DOCX',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'XLSX',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PPTX',
  'application/msword': 'DOC',
  'application/octet-stream': 'file',
  'text/plain': 'text',
  'text/markdown': 'Markdown',
  'audio/mpeg': 'MP3',
};

/** A media type in few letters, as `PDF` or `image`. */
export function shortType(type: string): string {
  const known = names[type.toLowerCase()];
  if (known) return known;
  const [kind = '', subtype = ''] = type.split(';')[0]?.split('/') ?? [];
  if (kind === '*') return 'any file';
  if (subtype === '*' || subtype === '') return kind;
  const bare = subtype.replace(/^(x-|vnd\.)/, '').replace(/\+.*$/, '');
  return bare.length <= 8 ? bare.toUpperCase() : bare;
}

/** What a port takes or brings in few words, as `PDF, PNG` or `any file`. */
export function shortTypes(types: readonly string[] | null | undefined): string {
  if (!types?.length) return 'any file';
  const shorts = [...new Set(types.map(shortType))];
  return shorts.length <= 2 ? shorts.join(', ') : `${shorts[0]} +${shorts.length - 1}`;
}
