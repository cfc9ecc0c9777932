/**
 * What runs the work of a worker. An executor knows nothing of the server: it gets an order, reports
 * what happens through hooks, and returns how it ended. It may run a container on this machine
 * (Podman), have one run elsewhere, or run nothing (for benchmarks).
 */
import type { Resources } from '@cogworks/graph/resources';
import type { AttemptUploads, Completion, WorkOrder } from '@cogworks/sdk/contract.gen';

export type Executor = {
  /** For the log: `podman 4.3.1`. */
  readonly name: string;
  /** How much can run at a time. */
  readonly capacity: Resources;
  /** What programs can have here besides that. */
  readonly features: 'egress'[];

  /**
   * Runs one attempt to its end and leaves nothing of it behind. Aborting the signal stops it,
   * which is reported as `cancelled`, unless it had ended by then.
   *
   * @throws AttemptError, or another Error where the machine is to blame.
   */
  execute(order: WorkOrder, hooks: ExecutionHooks, signal: AbortSignal): Promise<Report>;

  /** Ends what it keeps running between attempts. */
  close(): Promise<void>;
};

/** None of them throws. */
export type ExecutionHooks = {
  /** The program runs now: what it takes is charged from here on. */
  onStarted(): void;
  /**
   * What the program writes, in order, as it comes. While a returned promise is pending nothing
   * more is to be read from the program, so that memory stays bounded.
   */
  onLog(chunk: Buffer): void | Promise<void>;
  /** How far the program says it is, from 0 to 1. */
  onProgress(fraction: number): void;
  /** Where outputs of these sizes are to be PUT, in the same order; at most a thousand at once. */
  openUploads(sizes_bytes: number[], signal: AbortSignal): Promise<AttemptUploads>;
};

/** How an attempt ended. `exit_code` is absent when no program ran. */
export type Report = Omit<Completion, 'lease_token'>;
export type ReportedOutput = NonNullable<Completion['outputs']>[number];
