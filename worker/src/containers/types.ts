/**
 * What the agent may ask of a container engine, and what it is told. Nothing here
 * knows of the worker's protocol; `openEngine` in engine.ts makes a ContainerEngine.
 */

import type { Range } from '@cogworks/sdk/outbound/addresses';
import type { RegistryAllow } from './registry-allow.ts';

/** What the engine on this machine can do, found out once when the worker starts. */
export interface EngineReport {
  kind: 'podman' | 'none';
  /** The program that is called, an absolute path; empty when there is none. */
  command: string;
  version: string;
  /** False: no container can run here; `problem` says why and `remedy` what to type. */
  usable: boolean;
  problem?: string;
  remedy?: string;
  rootless: boolean;
  cgroup_version: 1 | 2;
  /** Which limits the kernel really enforces. A false one is left out of every run, with a warning. */
  limits: { memory: boolean; cpu: boolean; pids: boolean };
  /** `egress` is possible: it was tried. */
  network: boolean;
  /** Each container gets user ids of its own; without it, all of them are one user of the machine. */
  user_ranges: boolean;
  /** Sentences for the operator's log. */
  warnings: string[];
}

export interface EngineOptions {
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
}

export interface ContainerEngine {
  readonly report: EngineReport;
  /** For what must not outlive this process on a disk: in memory, private, empty at the start. */
  readonly private_dir: string;

  /**
   * Makes the image runnable, asking its registry with these credentials each time:
   * an image that another tenant pulled before must not run without them.
   * Rejects with a ContainerError: registry_auth, image_not_found or image_pull.
   */
  pull(image: string, auth: RegistryAuth | null, signal: AbortSignal): Promise<PulledImage>;

  /**
   * Runs one container to its end and removes it. Aborting the signal cancels: SIGTERM, grace,
   * SIGKILL, and the promise still resolves, with `stopped_by: 'cancel'`; also when it was aborted
   * before the container started (exit_code null then).
   * Rejects with a ContainerError only where the program is not to blame: infrastructure,
   * bad_params, image_pull; and with disk_limit when the program writes more than `disk_mb`.
   */
  run(spec: RunSpec, hooks: RunHooks, signal: AbortSignal): Promise<RunResult>;

  /** SIGTERM, grace, SIGKILL, gone. Resolves also when there is no such container. */
  stop(name: string, graceSeconds: number): Promise<void>;

  /** Removes this installation's containers whose attempt nobody holds; answers the names removed. */
  removeLeftovers(heldAttemptIds: readonly string[]): Promise<string[]>;

  /** Removes images not used for `unusedSeconds`; answers how many. */
  removeUnusedImages(unusedSeconds: number): Promise<number>;

  /** Ends what the engine keeps running between its calls. It may be used again afterwards. */
  close(): Promise<void>;

  /**
   * Removes those used longest ago until all together take at most `mostBytes`; never one that a
   * container uses or that was asked for within `freshSeconds`. Answers how many.
   */
  removeOldestImages(mostBytes: number, freshSeconds: number): Promise<number>;
}

export interface RegistryAuth {
  username: string;
  password: string;
}

export interface PulledImage {
  /** What RunSpec.image_id takes. */
  image_id: string;
  /** The digest the registry gave for the reference (of the index, where there is one). */
  digest: string;
}

export interface RunSpec {
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
  resources: { cpu: number; memory_mb: number; gpu: number; disk_mb: number };
  timeout_seconds: number;
  /** Between SIGTERM and SIGKILL; 10 where nothing else is said. */
  grace_seconds?: number;
  network: 'none' | 'egress';
}

/** The host's side of /data. */
export interface Workspace {
  /** 0700, the attempt's own. */
  root: string;
  /** The same for what may hold secrets. */
  private_root: string;
  inputs: string;
  outputs: string;
  params: string;
  progress: string;
}

/** `onStarted` and `onProgress` must not throw; a failing `onOutput` ends the container and the run. */
export interface RunHooks {
  /** The program runs now. */
  onStarted?(startedAt: Date): void;
  /**
   * Bytes as they come, in pieces of at most 64 KiB. While a returned promise is pending nothing
   * more is read, and a container that goes on writing waits: memory stays bounded.
   */
  onOutput?(chunk: Buffer, stream: 'stdout' | 'stderr'): void | Promise<void>;
  /** The newest `N/M` line of /data/progress. */
  onProgress?(done: number, total: number): void;
}

export interface RunResult {
  /** Null: it never started. 128 + n: ended by signal n. */
  exit_code: number | null;
  oom_killed: boolean;
  timed_out: boolean;
  stopped_by: 'cancel' | 'timeout' | null;
  started_at: Date | null;
  finished_at: Date;
  /** Measured by the cgroup where it can be read, else absent. */
  cpu_seconds?: number;
  memory_peak_bytes?: number;
}

/** Words of the contract's `error_class`. */
export type ContainerErrorClass =
  | 'registry_auth'
  | 'image_not_found'
  | 'image_pull'
  | 'output_missing'
  | 'output_invalid'
  | 'disk_limit'
  | 'disk_full'
  | 'bad_params'
  | 'infrastructure';

/** A failure with a class for the retry rules and a message for the user's eyes. */
export class ContainerError extends Error {
  readonly error_class: ContainerErrorClass;
  /** Worth another try by the system: the registry was away, the machine was at fault. */
  readonly retryable: boolean;

  constructor(errorClass: ContainerErrorClass, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ContainerError';
    this.error_class = errorClass;
    this.retryable = errorClass === 'image_pull' || errorClass === 'infrastructure';
  }
}

/** A declared output of a node definition. */
export interface DeclaredOutput {
  name: string;
  /** Relative to /data/outputs. */
  glob: string;
  cardinality: 'one' | 'many' | 'optional';
}

/** A file that a declared output matched. */
export interface OutputFile {
  port: string;
  /** On the host; open it with `openOutput`, never by following links. */
  path: string;
  /** Fit to be a cog's name; as the program wrote it wherever that is. */
  name: string;
  /** What the program called it, spelled out, where that cannot be a name. */
  renamed_from?: string;
  size: number;
}

/** One input of an attempt, in the order of the run. */
export interface InputFile {
  port: string;
  name: string;
  cardinality: 'one' | 'many' | 'optional';
}

export interface PlacedInput<T extends InputFile = InputFile> {
  input: T;
  /** Where the agent writes the bytes. */
  host_path: string;
  /** What the program sees: /data/inputs/<port>/<name>. */
  container_path: string;
  name: string;
}
