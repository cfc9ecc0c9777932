/**
 * An executor runs a worker's attempts. It knows nothing of the server: it gets an order, reports
 * events through hooks, and returns the result. It may run a container on this machine (Podman),
 * elsewhere, or nothing (for benchmarks).
 */
import type { Resources } from '@cogworks/graph/resources';
import type { AttemptUploads, Completion, WorkOrder } from '@cogworks/sdk/contract.gen';

export type Executor = {
  /** For the log: `podman 4.3.1`. */
  readonly name: string;
  /** How much can run at the same time. */
  readonly capacity: Resources;
  /** Further abilities of programs here. */
  readonly features: 'egress'[];

  /**
   * Runs one attempt to its end and cleans up after it. Aborting the signal stops it, which is
   * reported as `cancelled` unless it had already ended.
   *
   * @throws AttemptError, or another Error if the machine is at fault.
   */
  execute(order: WorkOrder, hooks: ExecutionHooks, signal: AbortSignal): Promise<Report>;

  /** Ends what it keeps running between attempts. */
  close(): Promise<void>;
};

/** Hooks do not throw. */
export type ExecutionHooks = {
  /** The program has started; its resources are charged from now on. */
  onStarted(): void;
  /**
   * The program's output, in order, as it arrives. While a returned promise is pending no more
   * output may be read, so that memory stays bounded.
   */
  onLog(chunk: Buffer): void | Promise<void>;
  /** The program's own progress, from 0 to 1. */
  onProgress(fraction: number): void;
  /** URLs for PUTs of outputs of these sizes, in the same order; at most a thousand at once. */
  openUploads(sizes_bytes: number[], signal: AbortSignal): Promise<AttemptUploads>;
};

/** How an attempt ended. `exit_code` is absent if no program ran. */
export type Report = Omit<Completion, 'lease_token'>;
export type ReportedOutput = NonNullable<Completion['outputs']>[number];
