import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { endianness, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { architectureOf } from '@cogworks/graph/architectures';
import { parseImage } from '@cogworks/graph/image-reference';
import { requireArchitecture } from './architecture.ts';

const dir = await mkdtemp(join(tmpdir(), 'cogworks-architectures-'));
after(() => rm(dir, { recursive: true, force: true }));

const image = parseImage('registry.test/tools/foreign:1');

/** An image made for these processors, on a worker whose kernel has these handlers. */
async function pulled(made: string, handlers: string[] | undefined) {
  assert.ok(image);
  // Stands for podman, which tells for which processors an image is made.
  const podman = { command: 'sh', settings: ['-c', `echo ${made}`], env: process.env };
  const folder = await mkdtemp(join(dir, 'binfmt-'));
  for (const name of handlers ?? []) await writeFile(join(folder, name), '');
  return requireArchitecture(podman, image, 'id', handlers ? folder : join(folder, 'nowhere'));
}

describe('an image that is made for other processors', () => {
  const bare = ['register', 'status'];

  it('is refused where the kernel has no emulator', async () => {
    await assert.rejects(pulled('other', bare), {
      error_class: 'image_pull',
      message: /made for processors of kind other, and this worker has/,
    });
  });

  for (const name of ['qemu-s390x', 'rosetta', 'FEX-x86_64'])
    it(`is taken where ${name} may run it`, () => pulled('other', [...bare, name]));

  it('is taken where it is not known which emulators there are', async () => {
    await pulled('other', []);
    await pulled('other', undefined);
  });

  it('is not one of this machine’s own', async () => {
    await pulled(architectureOf(process.arch, endianness()), bare);
  });
});
