/** Media types in few letters. Pure. */
import { t } from '@lingui/core/macro';

const names: Record<string, string> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'DOCX',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'XLSX',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PPTX',
  'application/msword': 'DOC',
  'application/octet-stream': t`file`,
  'text/plain': t`text`,
  'text/markdown': t`Markdown`,
  'audio/mpeg': 'MP3',
};

const families: Record<string, string> = {
  image: t`image`,
  audio: t`audio`,
  video: t`video`,
  text: t`text`,
};

/** A media type in few letters, as `PDF` or `image`. */
export function shortType(type: string): string {
  const known = names[type.toLowerCase()];
  if (known) return known;
  const [kind = '', subtype = ''] = type.split(';')[0]?.split('/') ?? [];
  if (kind === '*') return t`any file`;
  if (subtype === '*' || subtype === '') return families[kind] ?? kind;
  const bare = subtype.replace(/^(x-|vnd\.)/, '').replace(/\+.*$/, '');
  return bare.length <= 8 ? bare.toUpperCase() : bare;
}

/** What a port takes or brings in few words, as `PDF, PNG` or `any file`. */
export function shortTypes(types: readonly string[] | null | undefined): string {
  if (!types?.length) return t`any file`;
  const shorts = [...new Set(types.map(shortType))];
  return shorts.length <= 2 ? shorts.join(', ') : `${shorts[0]} +${shorts.length - 1}`;
}
