/** Images of the platform in tests: a layer of any bytes, because nothing runs it. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeImage } from '../src/images/builder.ts';
import { nameOf, recipes } from '../src/images/recipes/all.ts';
import type { TestServer } from './server.ts';

export const textImage = nameOf(recipes.text);
export const layerBytes = 'the bytes of a layer';

const digest = `sha256:${createHash('sha256').update(layerBytes).digest('hex')}`;
export const layerDigest = digest;

/** Stores the image `text`, as it is taken from a folder. */
export async function storeTextImage({ services }: TestServer): Promise<void> {
  const from = await mkdtemp(join(tmpdir(), 'cogworks-image-'));
  try {
    const folder = join(from, `${textImage.name}-${textImage.tag}`);
    await mkdir(folder);
    await writeFile(join(folder, 'layer.tar.gz'), layerBytes);
    const size_bytes = layerBytes.length;
    const known = { digest, diff_id: digest, size_bytes, architecture: 'arm64' };
    await writeFile(join(folder, 'image.json'), JSON.stringify(known));
    if (!(await takeImage(services, from, textImage))) throw new Error('The image is not there.');
  } finally {
    await rm(from, { recursive: true, force: true });
  }
}
