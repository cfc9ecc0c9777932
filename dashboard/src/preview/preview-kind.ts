/** How a file can be shown in the page, by its type. Pure. */

export type PreviewKind = 'image' | 'video' | 'audio' | 'pdf' | 'text';

/** As the service's list of what it sends to be shown; never SVG, which is shown as nothing. */
const images = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const texts =
  /^(text\/.+|application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-sh|x-ndjson)|application\/.+\+(json|xml))$/;

/** @returns undefined if there is no way to show it. */
export function previewKind(mime_type: string | undefined): PreviewKind | undefined {
  const type = mime_type?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (images.test(type)) return 'image';
  if (type.startsWith('video/')) return 'video';
  if (type.startsWith('audio/')) return 'audio';
  if (type === 'application/pdf') return 'pdf';
  return texts.test(type) ? 'text' : undefined;
}
