/**
 * What the agent may ask of a container engine, and what it is told. Nothing here
 * knows of the worker's protocol; `openEngine` in engine.ts makes a ContainerEngine.
 */

import type { Resources } from '@cogworks/graph/resources';
import type { Cardinality } from '@cogworks/graph/types';
import type { Range } from '@cogworks/sdk/outbound/addresses';
import type { RegistryAllow } from './registry-allow.ts';

/** What the engine on this machine can do, found out once when the worker starts. */
export type EngineReport = {
  kind: 'podman' | 'none';
  /** The program that is called, an absolute path; empty when there is none. */
  command: string;
  version: string;
  /** When false no container can run here: `problem` says why, and `remedy` what to type. */
  usable: boolean;
  problem?: string;
  remedy?: string;
  rootless: boolean;
  cgroup_version: 1 | 2;
  /** Which limits the kernel enforces. The others are left out of every run, with a warning. */
  limits: { memory: boolean; cpu: boolean; pids: boolean };
  /** `egress` is possible: it was tried. */
  network: boolean;
  /** Each container gets user ids of its own; without it, all of them are one user of the machine. */
  user_ranges: boolean;
  /** Sentences for the operator's log. */
  warnings: string[];
};

export type EngineOptions = {
  /** Absolute. Images, configuration and the seccomp profile live here; owned by this installation alone. */
  state_dir: string;
  /** Short-lived state of the engine, best on a tmpfs. Default: a folder of this state_dir in /run. */
  run_dir?: string;
  /** Written on every container, so that leftovers of this installation are found again. */
  installation: string;
  /** Addresses of the worker's own network that containers with `egress` may reach. */
  egress_allow?: readonly Range[];
  /** Registries of the worker's own network that may be called for a tenant. Default: none. */
  registry_allow?: RegistryAllow;
  /** Names a program to use instead of the one found by PATH. */
  command?: string;
  /** Told of what went wrong without failing a run. */
  warn?(message: string): void;
};

export type ContainerEngine = {
  readonly report: EngineReport;
  /** For what must not stay on a disk: in memory, private, empty at the start. */
  readonly private_dir: string;

  /**
   * Makes the image runnable, asking its registry with these credentials each time:
   * an image that another tenant pulled before must not run without them.
   * Rejects with an AttemptError: registry_auth, image_not_found or image_pull.
   */
  pull(image: string, auth: RegistryAuth | null, signal: AbortSignal): Promise<PulledImage>;

  /**
   * Runs one container to its end and removes it. Aborting the signal cancels: SIGTERM, grace,
   * SIGKILL, and the promise still resolves, with `stopped_by: 'cancel'`; also when it was aborted
   * before the container started (exit_code null then).
   * Rejects with an AttemptError only where the program is not to blame: infrastructure,
   * bad_params, image_pull; and with disk_limit when the program writes more than `disk_mb`.
   */
  run(spec: RunSpec, hooks: RunHooks, signal: AbortSignal): Promise<RunResult>;

  /** Removes all containers of this installation; answers the names removed. */
  removeLeftovers(): Promise<string[]>;

  /** Ends what the engine keeps running between its calls. It may be used again afterwards. */
  close(): Promise<void>;

  /**
   * Removes those used longest ago until all together take at most `mostBytes`; never one that a
   * container uses or that was asked for within `freshSeconds`. Answers how many.
   */
  removeOldestImages(mostBytes: number, freshSeconds: number): Promise<number>;
};

export type RegistryAuth = {
  username: string;
  password: string;
};

export type PulledImage = {
  /** What RunSpec.image_id takes. */
  image_id: string;
  /** The digest the registry gave for the reference (of the index, where there is one). */
  digest: string;
};

export type RunSpec = {
  /** Unique, [a-zA-Z0-9][a-zA-Z0-9_.-]*, for example `cogworks-<attempt id>`. */
  name: string;
  image_id: string;
  /** The whole argv; it replaces the image's entrypoint. Empty: what the image says itself. */
  command: string[];
  /** Never on a command line, so secrets may be in it. */
  env: Record<string, string>;
  run_id: string;
  attempt_id: string;
  /** Made by `makeWorkspace`; mounted under /data. */
  workspace: Workspace;
  resources: Resources;
  timeout_seconds: number;
  /** Between SIGTERM and SIGKILL; 10 where nothing else is said. */
  grace_seconds?: number;
  network: 'none' | 'egress';
};

/** The host's side of /data. */
export type Workspace = {
  /** 0700, the attempt's own. */
  root: string;
  /** The same for what may hold secrets. */
  private_root: string;
  inputs: string;
  outputs: string;
  params: string;
  progress: string;
};

/** `onStarted` and `onProgress` must not throw; a failing `onOutput` ends the container and the run. */
export type RunHooks = {
  /** The program runs now. */
  onStarted?(): void;
  /**
   * Bytes as they come, in pieces of at most 64 KiB. While a returned promise is pending nothing
   * more is read, and a container that goes on writing waits: memory stays bounded.
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

/** A file that a declared output matched. */
export type OutputFile = {
  port: string;
  /** On the host; open it with `openOutput`, never by following links. */
  path: string;
  /** A valid name of a cog; as the program wrote it where that is one. */
  name: string;
  /** What the program called it, spelled out, where that cannot be a name. */
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
