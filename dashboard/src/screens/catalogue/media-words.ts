/** Media types as people call them: "PDF", "images", and how a search names them. Pure. */
import { t } from '@lingui/core/macro';

/** What files of a type are called at their end, and the type. */
const types: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  text: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  md: 'text/markdown',
  markdown: 'text/markdown',
  json: 'application/json',
  xml: 'application/xml',
  zip: 'application/zip',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  tiff: 'image/tiff',
  webp: 'image/webp',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

const names: Readonly<Record<string, string>> = {
  'text/plain': t`text`,
  'text/html': 'HTML',
  'text/markdown': 'Markdown',
  'image/jpeg': 'JPEG',
  'image/svg+xml': 'SVG',
  'audio/mpeg': 'MP3',
  [types.docx ?? '']: 'Word',
  [types.xlsx ?? '']: 'Excel',
  [types.pptx ?? '']: 'PowerPoint',
};

const families: Readonly<Record<string, string>> = {
  image: t`images`,
  audio: t`sound`,
  video: t`video`,
  text: t`any text`,
};

/** A type in a word: `application/pdf` is "PDF", `image/*` is "images". */
export function mediaWord(type: string): string {
  const [family = '', part = ''] = type.split('/');
  if (type === '*/*') return t`any file`;
  if (part === '*') return families[family] ?? t`any ${family}`;
  const known = names[type];
  if (known !== undefined) return known;
  const [ending] = Object.entries(types).find(([, one]) => one === type) ?? [];
  return (ending ?? part.replace(/^(x-|vnd\.)/, '')).toUpperCase();
}

/** What the files of an output are, by its type or else by its pattern. */
export const typeOfOutput = (port: { glob: string; media_type?: string | undefined }) =>
  port.media_type ?? types[/\.(\w+)$/.exec(port.glob)?.[1]?.toLowerCase() ?? ''];

/** The type in a search: `text/*` is searched as "text". */
export function searchWord(type: string): string {
  const [family = '', part = ''] = type.split('/');
  if (part !== '*') return mediaWord(type);
  return family === 'text' ? t`text` : (families[family] ?? family);
}

/** The usual end of a file of the type, without a dot. */
export function endingOf(type: string | undefined): string {
  if (type === undefined) return 'bin';
  if (type === 'text/plain') return 'txt';
  if (type === 'image/jpeg' || type === 'image/*') return 'jpg';
  const [ending] = Object.entries(types).find(([, one]) => wildcardMatches(type, one)) ?? [];
  return ending ?? 'bin';
}

/** Parts of types, and the words that searches have for them. */
const searched: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image/': t({ message: 'image images picture pictures', comment: 'Words of a search' }),
    'audio/': t({ message: 'audio sound', comment: 'Words of a search' }),
    'video/': t({ message: 'video videos', comment: 'Words of a search' }),
    text: t({ message: 'text', comment: 'Words of a search' }),
    wordprocessing: 'word',
    spreadsheet: 'excel',
    presentation: 'powerpoint',
  }).flatMap(([part, words]) => words.split(' ').map((word) => [word.toLowerCase(), part])),
);

/** Whether a type, or a pattern of types, is what a search calls so: "pdf", "images", "text/csv". */
export function isCalled(type: string, word: string): boolean {
  const part = searched.get(word);
  if (part !== undefined) return type.includes(part);
  const exact = types[word];
  if (exact !== undefined) return wildcardMatches(type, exact);
  return type.toLowerCase().includes(word);
}

const wildcardMatches = (pattern: string, type: string) =>
  pattern === type ||
  (pattern.endsWith('/*') && pattern !== '*/*' && type.startsWith(pattern.slice(0, -1)));
