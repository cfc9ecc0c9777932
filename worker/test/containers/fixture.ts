/**
 * A container engine with a store of its own, and a private registry with the busybox image, for one
 * test file. Both are real: the tests are about what the machine does.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busyboxImage, pushImage } from '../../../tools/containers/images.ts';
import { type Registry, startRegistry } from '../../../tools/containers/registry.ts';
import { ensureTestTools } from '../../../tools/containers/setup.ts';
import { openEngine, removeEngine } from '../../src/containers/engine.ts';
import { makeWorkspace, removeWorkspace } from '../../src/containers/inputs.ts';
import { allowNothing } from '../../src/containers/registry-allow.ts';
import type {
  ContainerEngine,
  EngineOptions,
  RunHooks,
  RunResult,
  RunSpec,
  Workspace,
} from '../../src/containers/types.ts';

export type Fixture = {
  engine: ContainerEngine;
  options: EngineOptions;
  registry: Registry;
  /** The busybox image as its registry knows it, and its id in the store. */
  image: string;
  image_id: string;
  folder: string;
  spec(command: string[], changes?: Partial<RunSpec>): Promise<RunSpec>;
  run(
    command: string[],
    changes?: Partial<RunSpec>,
    hooks?: RunHooks,
    signal?: AbortSignal,
  ): Promise<Ran>;
  close(): Promise<void>;
};

export type Ran = {
  result: RunResult;
  stdout: string;
  stderr: string;
  workspace: Workspace;
};

/** Never aborted. */
export const never = new AbortController().signal;

export const script = (text: string) => ['/bin/sh', '-c', text];

/** @returns a text where containers cannot run here: why. */
export async function openFixture(more: Partial<EngineOptions> = {}): Promise<Fixture | string> {
  const tools = await ensureTestTools({ install: true, log: (line) => console.error(line) });
  if (!tools.ready) return `${tools.problem} Install by: ${tools.remedy}`;

  const folder = await mkdtemp(join(tmpdir(), 'cogworks-containers-'));
  const options: EngineOptions = {
    state_dir: join(folder, 'engine'),
    run_dir: join(folder, 'run'),
    installation: randomUUID(),
    warn: (message) => console.error(message),
    registry_allow: { ...allowNothing, loopback: true },
    ...more,
  };
  const { engine, report } = await openEngine(options);
  if (!engine) return `${report.problem} ${report.remedy ?? ''}`;

  const registry = await startRegistry({ folder: join(folder, 'registry') });
  const target = { server: registry.server, repository: 'tools/busybox', tag: '1' };
  await pushImage(await busyboxImage(), target, registry.credentials);
  const image = `${target.server}/${target.repository}:${target.tag}`;
  const { image_id } = await engine.pull(image, registry.credentials, never);
  return { ...makeRuns(engine, image_id, folder), options, registry, image, folder };
}

function makeRuns(engine: ContainerEngine, image_id: string, folder: string) {
  const spec = async (command: string[], changes: Partial<RunSpec> = {}): Promise<RunSpec> => {
    const id = randomUUID();
    return {
      name: `cogworks-${id}`,
      image_id,
      command,
      env: {},
      run_id: '1',
      attempt_id: id,
      workspace: changes.workspace ?? (await makeWorkspace(join(folder, id))),
      resources: { cpu: 1, memory_mb: 128, gpu: 0, disk_mb: 64 },
      timeout_seconds: 60,
      network: 'none',
      ...changes,
    };
  };
  return {
    engine,
    image_id,
    spec,
    async run(
      command: string[],
      changes: Partial<RunSpec> = {},
      hooks: RunHooks = {},
      signal = never,
    ): Promise<Ran> {
      const texts = { stdout: '', stderr: '' };
      const wanted = await spec(command, changes);
      const result = await engine.run(
        wanted,
        {
          onOutput(chunk, stream) {
            texts[stream] += chunk.toString();
          },
          ...hooks,
        },
        signal,
      );
      return { result, ...texts, workspace: wanted.workspace };
    },
    async close(this: Pick<Fixture, 'registry' | 'options'>) {
      await this.registry.stop();
      await removeEngine(this.options);
      await removeWorkspace({ root: folder });
    },
  };
}

export const readOutput = (workspace: Workspace, name: string) =>
  readFile(join(workspace.outputs, name), 'utf8');

export const forget = (folder: string) => rm(folder, { recursive: true, force: true });
