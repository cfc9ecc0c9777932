import { expect, it } from 'vitest';
import { previewKind } from './preview-kind.ts';

it.each([
  ['image/png', 'image'],
  ['video/mp4', 'video'],
  ['audio/mpeg', 'audio'],
  ['application/pdf', 'pdf'],
  ['text/plain; charset=utf-8', 'text'],
  // Its source: a page is never shown as one.
  ['text/html', 'text'],
  ['application/json', 'text'],
  ['application/ld+json', 'text'],
  ['image/svg+xml', undefined],
  ['application/zip', undefined],
  [undefined, undefined],
])('shows %s as %s', (type, kind) => expect(previewKind(type)).toBe(kind));
