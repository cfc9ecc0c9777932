/** Opens PDF files by pdf.js, with its worker and its data from our own assets. */
import { t } from '@lingui/core/macro';
import { GlobalWorkerOptions, getDocument, type PDFDocumentLoadingTask } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

/** What it needs for some files only: character maps, standard fonts and decoders of images. */
const data = import.meta.glob<string>(
  [
    '../../../node_modules/pdfjs-dist/cmaps/*.bcmap',
    '../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}',
    '../../../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg,qcms_bg}.wasm',
  ],
  { query: '?url', import: 'default', eager: true },
);

/** It asks for data by name; ours have the hash of their content in theirs. */
class Data {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const path = Object.keys(data).find((one) => one.endsWith(`/${filename}`));
    const url = path === undefined ? undefined : data[path];
    if (url === undefined) throw new Error(t`There is no ${filename}.`);
    const response = await fetch(url);
    return new Uint8Array(await response.arrayBuffer());
  }
}

export function openPdf(url: string): PDFDocumentLoadingTask {
  return getDocument({
    url,
    BinaryDataFactory: Data,
    useWorkerFetch: false,
    cMapPacked: true,
    enableXfa: false,
    // A page at a time instead of the whole file.
    disableAutoFetch: true,
  });
}
