/** Whether the programs of an image can run on the processor of this machine. */
import { readdir } from 'node:fs/promises';
import { architectureOf } from '@cogworks/graph/architectures';
import type { ImageReference } from '@cogworks/graph/image-reference';
import { callProgram, type Program } from './command.ts';
import { notPulled } from './registry-errors.ts';

/** Processors that also run programs for another kind. */
const alsoRuns: Readonly<Record<string, string>> = { amd64: '386', arm64: 'arm' };

/** The kernel's emulators for programs of other processors. */
const emulators = '/proc/sys/fs/binfmt_misc';

/**
 * Podman also pulls images for other processors, and their programs do not start ("exec format
 * error").
 *
 * @throws AttemptError `image_pull`: another worker may run it.
 */
export async function requireArchitecture(podman: Program, image: ImageReference, id: string) {
  const format = ['--format', '{{.Architecture}}'];
  const { stdout } = await callProgram(podman, ['image', 'inspect', ...format, id]);
  const [made, here] = [stdout.trim(), architectureOf(process.arch)];
  if (made === '' || made === here || made === alsoRuns[here] || (await hasEmulators())) return;
  throw notPulled(
    image,
    `it is made for processors of kind ${made}, and this worker has ${here}. It needs a worker with ${made}, or an image for ${here}.`,
  );
}

const hasEmulators = async () =>
  (await readdir(emulators).catch(() => [])).some((name) => name.startsWith('qemu-'));
