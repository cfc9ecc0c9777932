/**
 * Draws previews, in a process of its own: it reads bytes that strangers made, with libraries in C.
 * Loading this module loads the libraries. Metadata, such as where a photo was taken, is not kept.
 */
import sharp, { type Sharp } from 'sharp';
import { type Kind, mostPreviewBytes } from './kinds.ts';

/** 100 megapixels, looked at before anything is decoded. */
const mostPixels = 100_000_000;

sharp.cache(false);
sharp.concurrency(1);
// Among the others is SVG, which may refer to files and hosts.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map(
    (name) => `VipsForeignLoad${name}`,
  ),
});

/** Why there is no preview of these bytes. */
export class NoPreview extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * A WebP of at most `size` pixels per side.
 *
 * @throws NoPreview
 */
export function draw(kind: Kind, size: number, bytes: Buffer): Promise<Buffer> {
  return kind === 'pdf' ? drawPage(bytes, size) : drawImage(bytes, size);
}

async function drawImage(bytes: Buffer, size: number): Promise<Buffer> {
  const options = {
    limitInputPixels: mostPixels,
    sequentialRead: true,
    failOn: 'truncated',
  } as const;
  try {
    const image = sharp(bytes, options)
      .autoOrient()
      .resize(size, size, { fit: 'inside', withoutEnlargement: true });
    return await encoded(image, size);
  } catch (error) {
    if (error instanceof NoPreview) throw error;
    const isLarge = /pixel limit/i.test((error as Error).message);
    throw new NoPreview(isLarge ? 'too_large' : 'unreadable');
  }
}

/**
 * The first page. Loaded on demand: most previews are of images. Each has an instance of its own,
 * which the next cannot inherit anything from.
 */
async function drawPage(bytes: Buffer, size: number): Promise<Buffer> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium');
  const library = await PDFiumLibrary.init();
  const page = await rendered(library, bytes, size);
  const { width, height } = page;
  const image = sharp(page.data, { raw: { width, height, channels: 4 } });
  return encoded(image.flatten({ background: '#fff' }), size);
}

/** Noise, which no encoder makes small, is drawn coarsely, and not transparent. */
async function encoded(image: Sharp, size: number): Promise<Buffer> {
  const most = mostPreviewBytes(size);
  const fine = await image.clone().webp({ quality: 80, effort: 3 }).toBuffer();
  if (fine.length <= most) return fine;
  const coarse = image.flatten({ background: '#fff' }).webp({ quality: 20, effort: 3 });
  const small = await coarse.toBuffer();
  if (small.length > most) throw new NoPreview('too_large');
  return small;
}

type Library = {
  loadDocument(bytes: Uint8Array): Promise<{
    getPage(index: number): {
      getOriginalSize(): { originalWidth: number; originalHeight: number };
      render(options: {
        render: 'bitmap';
        width: number;
        height: number;
      }): Promise<{ width: number; height: number; data: Uint8Array }>;
    };
  }>;
};

async function rendered(library: Library, bytes: Buffer, size: number) {
  try {
    const document = await library.loadDocument(bytes).catch((error: Error) => {
      throw new NoPreview(/password/i.test(error.message) ? 'protected' : 'unreadable');
    });
    const page = document.getPage(0);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const longest = Math.max(originalWidth, originalHeight);
    if (!(longest > 0) || !Number.isFinite(longest)) throw new NoPreview('unreadable');
    const side = (length: number) => Math.max(1, Math.round((length * size) / longest));
    const box = { width: side(originalWidth), height: side(originalHeight) };
    return await page.render({ render: 'bitmap', ...box });
  } catch (error) {
    if (error instanceof NoPreview) throw error;
    // WebAssembly that is out of memory or stack.
    const isOver = ['RuntimeError', 'RangeError'].includes((error as Error).name);
    throw new NoPreview(isOver ? 'too_costly' : 'unreadable');
  }
}
