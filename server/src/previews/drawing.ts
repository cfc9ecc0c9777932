/**
 * Draws previews, in a process of its own: it reads bytes that strangers made, with libraries in C.
 * Loading this module loads the libraries. Metadata, such as where a photo was taken, is not kept.
 */
import sharp from 'sharp';
import type { Kind } from './kinds.ts';

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
    return await sharp(bytes, options)
      .autoOrient()
      .resize(size, size, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80, effort: 3 })
      .toBuffer();
  } catch (error) {
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
  return sharp(page.data, { raw: { width, height, channels: 4 } })
    .flatten({ background: '#fff' })
    .webp({ quality: 80, effort: 3 })
    .toBuffer();
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
