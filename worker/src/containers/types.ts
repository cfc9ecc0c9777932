/**
 * The interface between agent and container engine. Independent of the worker's protocol;
 * `openEngine` in engine.ts creates a ContainerEngine.
 */

import type { Resources } from '@cogworks/graph/resources';
import type { Cardinality } from '@cogworks/graph/types';
import type { Range } from '@cogworks/sdk/outbound/addresses';
import type { RegistryAllow } from './registry-allow.ts';

/** What the engine on this machine can do, determined once when the worker starts. */
export type EngineReport = {
  kind: 'podman' | 'none';
  /** The absolute path of the program; empty if there is none. */
  command: string;
  version: string;
  /** If false, no container can run here: `problem` says why, and `remedy` which command helps. */
  usable: boolean;
  problem?: string;
  remedy?: string;
  rootless: boolean;
  cgroup_version: 1 | 2;
  /** Which limits the kernel enforces. The others are omitted from every run, with a warning. */
  limits: { memory: boolean; cpu: boolean; pids: boolean };
  /** Whether `egress` is possible; determined by a test. */
  network: boolean;
  /** Whether each container gets its own user ids; otherwise all run as one user of the machine. */
  user_ranges: boolean;
  /** Sentences for the operator's log. */
  warnings: string[];
};

export type EngineOptions = {
  /** Absolute. Holds images, configuration and the seccomp profile, of this installation alone. */
  state_dir: string;
  /**
   * Short-lived state of the engine, preferably on a tmpfs. Default: a folder for this state_dir in
   * /run.
   */
  run_dir?: string;
  /** A label on every container, so that leftovers of this installation are found again. */
  installation: string;
  /** Addresses of the worker's own network that containers with `egress` may reach. */
  egress_allow?: readonly Range[];
  /** Registries of the worker's own network that may be called for a tenant. Default: none. */
  registry_allow?: RegistryAllow;
  /** A program to use instead of the one found in PATH. */
  command?: string;
  /** Receives problems that do not fail a run. */
  warn?(message: string): void;
};

export type ContainerEngine = {
  readonly report: EngineReport;
  /** For data that must not be written to a disk: in memory, private, empty at the start. */
  readonly private_dir: string;

  /**
   * Makes the image runnable. Asks its registry with these credentials each time: an image pulled
   * by another tenant must not run without them. Rejects with an AttemptError: registry_auth,
   * image_not_found or image_pull. `say` is told what it waits for, in words for users.
   */
  pull(
    image: string,
    auth: RegistryAuth | null,
    signal: AbortSignal,
    say?: (words: string) => void,
  ): Promise<PulledImage>;

  /**
   * Runs one container to its end and removes it. Aborting the signal cancels: SIGTERM, grace,
   * SIGKILL. The promise then still resolves, with `stopped_by: 'cancel'`; also if it was aborted
   * before the container started (exit_code is null). Rejects with an AttemptError only if the
   * program is not at fault: infrastructure, bad_params, image_pull; and with disk_limit if it
   * writes more than `disk_mb`.
   */
  run(spec: RunSpec, hooks: RunHooks, signal: AbortSignal): Promise<RunResult>;

  /** Removes all containers of this installation; returns their names. */
  removeLeftovers(): Promise<string[]>;

  /** Ends what the engine keeps running between calls. It may be used again afterwards. */
  close(): Promise<void>;

  /**
   * Removes the least recently used images until all together take at most `mostBytes`, except
   * those in use or requested within `freshSeconds`. Returns how many.
   */
  removeOldestImages(mostBytes: number, freshSeconds: number): Promise<number>;
};

export type RegistryAuth = {
  username: string;
  password: string;
};

export type PulledImage = {
  /** The value for RunSpec.image_id. */
  image_id: string;
  /** The digest the registry reported for the reference (of the index, if there is one). */
  digest: string;
};

export type RunSpec = {
  /** Unique, [a-zA-Z0-9][a-zA-Z0-9_.-]*, for example `cogworks-<attempt id>`. */
  name: string;
  image_id: string;
  /** The whole argv; it replaces the image's entrypoint. Empty: the image's own. */
  command: string[];
  /** Never passed on a command line, so it may contain secrets. */
  env: Record<string, string>;
  run_id: string;
  attempt_id: string;
  /** Created by `makeWorkspace`; mounted at /data. */
  workspace: Workspace;
  resources: Resources;
  timeout_seconds: number;
  /** Between SIGTERM and SIGKILL; 10 by default. */
  grace_seconds?: number;
  network: 'none' | 'egress';
};

/** The host's side of /data. */
export type Workspace = {
  /** Mode 0700, used by this attempt alone. */
  root: string;
  /** The same for data that may be secret. */
  private_root: string;
  inputs: string;
  outputs: string;
  params: string;
  progress: string;
};

/**
 * `onStarted` and `onProgress` must not throw; a failing `onOutput` ends the container and the run.
 */
export type RunHooks = {
  /** The program has started. */
  onStarted?(): void;
  /**
   * Bytes as they arrive, in pieces of at most 64 KiB. While a returned promise is pending nothing
   * more is read, and a container that keeps writing is blocked, so memory stays bounded.
   */
  onOutput?(chunk: Buffer, stream: 'stdout' | 'stderr'): void | Promise<void>;
  /** The newest `N/M` line of /data/progress. */
  onProgress?(done: number, total: number): void;
};

export type RunResult = {
  /** Null: it never started. 128 + n: ended by signal n. */
  exit_code: number | null;
  oom_killed: boolean;
  stopped_by: 'cancel' | 'timeout' | null;
};

/** A declared output of a node definition. */
export type DeclaredOutput = {
  name: string;
  /** Relative to /data/outputs. */
  glob: string;
  cardinality: Cardinality;
};

/** A file that matches a declared output. */
export type OutputFile = {
  port: string;
  /** On the host; open it with `openOutput`, never by following links. */
  path: string;
  /** A valid cog name; the program's own, if that is valid. */
  name: string;
  /** The program's own name in plain text, if it is not valid. */
  renamed_from?: string;
  size: number;
};

/** One input of an attempt, in the order of the run. */
export type InputFile = {
  port: string;
  name: string;
  cardinality: Cardinality;
};

export type PlacedInput<T extends InputFile = InputFile> = {
  input: T;
  /** Where the agent writes the bytes. */
  host_path: string;
  /** What the program sees: /data/inputs/<port>/<name>. */
  container_path: string;
  name: string;
};
