/**
 * The folders of one attempt, and where its inputs are in them. The executor fetches their bytes.
 */
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AttemptError } from '../attempt-error.ts';
import { runCommand } from './command.ts';
import { cleanName, distinctNames } from './names.ts';
import { containerUser } from './run-arguments.ts';
import type { InputFile, PlacedInput, Workspace } from './types.ts';

/**
 * Makes everything below `root` and `privateRoot`, which must not exist yet. Both are closed to other
 * users of the machine; what is in them is open to all, because the container's user is none that
 * the machine knows. Params may hold secrets, so their folder is in memory.
 */
export async function makeWorkspace(
  root: string,
  privateRoot = join(root, 'private'),
): Promise<Workspace> {
  const workspace: Workspace = {
    root,
    private_root: privateRoot,
    inputs: join(root, 'inputs'),
    outputs: join(root, 'outputs'),
    params: join(privateRoot, 'params.json'),
    progress: join(root, 'progress'),
  };
  for (const folder of [root, privateRoot]) await mkdir(folder, { mode: 0o700 });
  await mkdir(workspace.inputs);
  await mkdir(workspace.outputs);
  await writeFile(workspace.params, '{}');
  await writeFile(workspace.progress, '');
  // Set again, because the umask of the worker's service may have removed it.
  for (const path of [workspace.inputs, workspace.outputs]) await chmod(path, 0o755);
  for (const path of [workspace.params, workspace.progress]) await chmod(path, 0o644);
  if (process.getuid?.() === 0) {
    // Without root the container's user *is* the worker's (keep-id), and owns them already.
    for (const path of [workspace.outputs, workspace.progress]) {
      await chown(path, containerUser, containerUser);
    }
  }
  return workspace;
}

export async function writeParams(workspace: Workspace, params: unknown): Promise<void> {
  await writeFile(workspace.params, JSON.stringify(params, null, 2));
}

/** Where each input goes; equal names in a port are numbered in the order given. */
export function placeInputs<T extends InputFile>(
  workspace: Workspace,
  inputs: readonly T[],
): PlacedInput<T>[] {
  const ports = Map.groupBy(inputs, (input) => input.port);
  const placed = new Map<T, PlacedInput<T>>();
  for (const [port, files] of ports) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(port)) {
      throw new AttemptError('bad_params', `"${port}" is not the name of an input.`);
    }
    const names = distinctNames(files.map((file) => cleanName(file.name)));
    for (const [index, input] of files.entries()) {
      const name = names[index] ?? '';
      placed.set(input, {
        input,
        name,
        host_path: join(workspace.inputs, port, name),
        container_path: `/data/inputs/${port}/${name}`,
      });
    }
  }
  return inputs.flatMap((input) => placed.get(input) ?? []);
}

/** Makes the folders of the ports, also of those no file came for: programs list them. */
export async function makePortFolders(workspace: Workspace, ports: Iterable<string>) {
  for (const port of new Set(ports)) {
    const folder = join(workspace.inputs, port);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
  }
}

/** Call when the bytes of a placed input are written. */
export const sealInput = (input: PlacedInput): Promise<void> => chmod(input.host_path, 0o444);

/**
 * By the system's `rm`, which walks by file descriptors: a program may nest folders deeper than the
 * longest path, where Node's own rm fails.
 */
export async function removeWorkspace(
  places: Pick<Workspace, 'root'> & { private_root?: string },
): Promise<void> {
  if (places.private_root) await rm(places.private_root, { recursive: true, force: true });
  const { root } = places;
  const { code } = await runCommand('rm', ['-rf', '--', root]);
  if (code === 0) return;
  // A folder without rights, where the worker is not root.
  await runCommand('chmod', ['-R', 'u+rwX', '--', root]);
  await rm(root, { recursive: true, force: true });
}
