import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { testServer } from '../../test/server.ts';
import { wantImages } from '../images/images.ts';
import { claimImage } from '../images/queries.ts';
import { allImages, type ImageName } from '../images/recipes/all.ts';
import { Faults } from './command.ts';
import { fillFolder, makeImages } from './images.ts';

const dir = await mkdtemp(join(tmpdir(), 'cogworks-carried-'));
after(() => rm(dir, { recursive: true, force: true }));

async function carry(image: ImageName): Promise<void> {
  const folder = join(dir, `${image.name}-${image.tag}`);
  await mkdir(folder);
  const digest = `sha256:${createHash('sha256').update(image.name).digest('hex')}`;
  const size_bytes = image.name.length;
  const known = { digest, diff_id: digest, size_bytes, architecture: 'amd64' };
  await writeFile(join(folder, 'layer.tar.gz'), image.name);
  await writeFile(join(folder, 'image.json'), JSON.stringify(known));
}

describe('images that are brought in a folder', () => {
  it('are taken, also those that a killed command was making', async () => {
    const { services } = await testServer();
    for (const image of allImages) await carry(image);
    await wantImages(services.db, allImages);
    assert.ok(await claimImage(services.db, allImages, 30));

    const said = await makeImages(services, dir);

    for (const { name, tag } of allImages)
      assert.match(said, new RegExp(`${name}:${tag} is ready`));
  });

  it('are not made instead if the folder is not there, or cannot be read', async () => {
    const { services } = await testServer();
    await services.db`delete from platform_images`;
    const broken = join(dir, 'broken');
    await mkdir(broken);
    // No folder, where one should be.
    for (const { name, tag } of allImages) await writeFile(join(broken, `${name}-${tag}`), '');

    await assert.rejects(
      makeImages(services, join(dir, 'nowhere')),
      (error) =>
        error instanceof Faults && /^There is no folder \/.+\/nowhere\.$/.test(error.message),
    );
    for (const use of [() => makeImages(services, broken), () => fillFolder(broken)]) {
      await assert.rejects(
        use(),
        (error) => error instanceof Faults && /cannot be read/.test(error.message),
      );
    }
  });
});
