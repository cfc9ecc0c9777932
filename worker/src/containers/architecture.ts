/** Whether the programs of an image can run on the processor of this machine. */
import { readdir } from 'node:fs/promises';
import { endianness } from 'node:os';
import { architectureOf } from '@cogworks/graph/architectures';
import type { ImageReference } from '@cogworks/graph/image-reference';
import { callProgram, type Program } from './command.ts';
import { notPulled } from './registry-errors.ts';

/** Processors that also run programs for another kind. */
const alsoRuns: Readonly<Record<string, string>> = { amd64: '386', arm64: 'arm' };

/** What the kernel starts by another program, such as an emulator of another processor. */
const handlers = '/proc/sys/fs/binfmt_misc';

/**
 * Podman also pulls images for other processors, and their programs do not start ("exec format
 * error").
 *
 * @param folder where the kernel lists its handlers.
 * @throws AttemptError `image_pull`: another worker may run it.
 */
export async function requireArchitecture(
  podman: Program,
  image: ImageReference,
  id: string,
  folder = handlers,
): Promise<void> {
  const format = ['--format', '{{.Architecture}}'];
  const { stdout } = await callProgram(podman, ['image', 'inspect', ...format, id]);
  const [made, here] = [stdout.trim(), architectureOf(process.arch, endianness())];
  if (made === '' || made === here || made === alsoRuns[here]) return;
  if (await mayEmulate(folder)) return;
  throw notPulled(
    image,
    `it is made for processors of kind ${made}, and this worker has ${here}. It needs a worker with ${made}, or an image for ${here}.`,
  );
}

/**
 * Whether programs of other processors may start. Emulators have any name; and the kernel's folder
 * is empty where it is not mounted, as in a container, although its handlers are for all.
 */
export async function mayEmulate(folder = handlers): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.length === 0 || names.some((name) => name !== 'register' && name !== 'status');
}
