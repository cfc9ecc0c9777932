/** ImageMagick, poppler, qpdf and tesseract on a shell: for pictures, scans and PDFs. */
import { forPeople, ofScripts, type Recipe } from './recipe.ts';

const languages = ['deu', 'eng', 'fra', 'ita', 'nld', 'por', 'spa'];

export const documents: Recipe = {
  name: 'documents',
  packages: [
    ...['busybox-static', 'imagemagick', 'poppler-utils', 'qpdf', 'fonts-dejavu-core'],
    ...['tesseract-ocr', ...languages.map((language) => `tesseract-ocr-${language}`)],
  ],
  leave_out: ofScripts,
  remove: [...forPeople, 'usr/share/glib-2.0'],
  // By `update-alternatives` on an ordinary machine: of Debian 13, and of 12.
  links: Object.fromEntries(
    ['convert', 'identify', 'montage', 'mogrify', 'composite'].map((tool) => [
      `usr/bin/${tool}`,
      [`${tool}-im7.q16`, `${tool}-im6.q16`],
    ]),
  ),
  download_mb: 70,
};
