/**
 * Traces for a collector of OpenTelemetry: requests, runs, and the attempts of their steps. Off
 * unless there is an endpoint. A run is a trace of its own, because it outlives the request that
 * started it; the two are linked. What a stranger sends as `traceparent` is linked as well, and
 * never adopted: whoever sends it would decide which of our spans belong together.
 */
import type { Config } from '../config.ts';

export type TracedRequest = {
  method: string;
  route: string;
  /** The caller's `traceparent`. */
  traceparent: string | undefined;
};

export type RequestSpan = {
  /** The request has started a run. */
  started(runId: number): void;
  end(status: number): void;
  /**
   * The client has gone before it had the whole answer.
   *
   * @param status what it was told, if it was told anything.
   */
  abort(status: number | undefined): void;
};

export type TracedRun = {
  id: number;
  workflow_id: number;
  status: string;
  created_at: string;
  finished_at: string;
};

export type TracedAttempt = {
  id: number;
  run_id: number;
  node_run_id: number;
  node_key: string;
  /** Its number within the node run. */
  number: number;
  worker_id: number;
  status: string;
  error_class?: string | undefined;
  leased_at: string;
  started_at?: string | undefined;
  finished_at: string;
};

export type Traces = {
  request(request: TracedRequest): RequestSpan;
  runEnded(run: TracedRun): void;
  attemptEnded(attempt: TracedAttempt): void;
  /** The `TRACEPARENT` of an attempt's container. */
  traceparentOf(runId: number, attemptId: number): string;
  /** Sends what is left, and ends. */
  close(): Promise<void>;
};

export type TraceSettings = NonNullable<Config['traces']>;
